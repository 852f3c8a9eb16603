package import JSON

/// What an issuer says of a user, OpenID Connect Core section 5.3.2.
package struct Claims: ControlValue {
  package let members: JSONObject

  package init(_ members: JSONObject) { self.members = members }

  package static let schema = Schema.map(.anything)

  package func write(to writer: inout JSONWriter) { writer.write(members) }

  package init(reading json: JSON) throws(UnreadableValue) { members = try JSONObject(reading: json) }
}
