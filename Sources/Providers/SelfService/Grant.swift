package import Configuration
package import ControlAPI
package import Glibc

/// What a sign-on allows: to speak for its user at PingOne as long as it is being finished.
package struct Grant: Sendable {
  package let owner: uid_t
  /// The user of the verified ID token.
  package let user: User
  package let issuer: String
  package let tenant: PingOneTenant
  /// The environment that the ID token names; empty when it names none.
  let namedEnvironment: String
  let accessToken: String
  /// The scopes that were asked for and not granted.
  let missingScopes: [String]

  /// `scope` is what the token endpoint said that it granted; nothing: what was asked for, RFC 6749 section 5.1.
  package init(
    owner: uid_t,
    user: User,
    issuer: String,
    tenant: PingOneTenant,
    namedEnvironment: String,
    accessToken: String,
    scope: String?,
    asked: [String]
  ) {
    (self.owner, self.user, self.issuer, self.tenant) = (owner, user, issuer, tenant)
    (self.namedEnvironment, self.accessToken) = (namedEnvironment, accessToken)
    let granted = scope?.split(separator: " ").map(String.init)
    missingScopes = granted.map { granted in asked.filter { !granted.contains($0) } } ?? []
  }
}
