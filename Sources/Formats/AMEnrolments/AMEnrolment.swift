package import OATHExports

/// What a `pushauth:` or `mfauth:` URI of PingAM enrols: pushes, and with `mfauth:` passcodes too.
package struct AMEnrolment: Sendable {
  package let issuer: String
  /// What the account is called at the issuer.
  package let account: String
  /// The identity's name at the server, which is not what a person is called.
  package let user: String?
  package let push: AMPushRegistration
  /// The other half of `mfauth:`.
  package let oath: OATHRecord?
  package let policies: AMPolicies

  /// Both halves have to be whole, though of some clients each would do for itself.
  package init(_ uri: KeyURI) throws(OATHError) {
    guard uri.scheme != .otpauth else { throw .notAKeyURI }
    if let version = uri["version"], version != "1" { throw .unsupported("version", allowed: "1") }
    // Some write it plain, where servers encode it.
    let issuer = uri["issuer"].map { AMText.decode($0) ?? $0 }
    if uri.scheme == .mfauth {
      oath = try uri.record(issuer: issuer)
    } else {
      guard uri.type == "push" else { throw .unsupported("the type", allowed: "push") }
      oath = nil
    }
    (self.issuer, account) = try uri.names(issuer: issuer)
    // Servers write it under one name, and some clients read it under the other.
    let (user, other) = (try uri.text("uid"), try uri.text("d"))
    self.user = user ?? other
    policies = AMPolicies(try uri.text("policies", maximum: AMPolicies.longest) ?? "{}")
    push = try AMPushRegistration(uri)
  }
}
