package import JSON
package import JSONRPC

package struct SessionUserinfo: ControlMethod {
  package static let name = "session.userinfo"
  package static let access = AccessClass.use
  package static let summary = "shows what the issuer says of the user whose sign-on was kept"
  package static let errors: [RPCError] = .session + [.expired]
  package static let parameters = Shape(
    SessionUserinfo.init(account:isFresh:),
    .required("account", \.account, as: .identifier, "the account whose user it is"),
    .optional("fresh", \.isFresh, default: false, "asks the issuer although it was asked before")
  )
  package static var example: Example<Self> {
    Example(
      SessionUserinfo(account: "a1"),
      ["sub": "u-1", "preferred_username": "ann", "given_name": "Ann", "family_name": "Archer"]
    )
  }

  /// What an issuer says of a user, OpenID Connect Core section 5.3.2.
  package typealias Result = JSONObject

  package let account: String
  package let isFresh: Bool

  package init(account: String, isFresh: Bool = false) {
    (self.account, self.isFresh) = (account, isFresh)
  }
}
