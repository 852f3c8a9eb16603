package import JSON

/// What an issuer says of a user, OpenID Connect Core section 5.3.2.
package struct Claims: ControlValue {
  package static let schema = Schema.map(.anything)

  /// The claims by their names.
  package let json: JSON

  /// Claims as they came.
  package init(_ claims: JSONObject) { json = .object(claims) }
}
