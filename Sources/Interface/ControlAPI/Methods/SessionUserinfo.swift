package import JSONRPC

/// Shows what the issuer says of the user whose sign-on was kept.
package struct SessionUserinfo: ControlMethod {
  package static let name = "session.userinfo"
  package static let access = AccessClass.use
  package static let summary = "shows what the issuer says of the user whose sign-on was kept"
  package static let parameters: [Property] = [
    .required("account", .identifier),
    .optional("fresh", .boolean, "asks the issuer although it was asked before"),
  ]

  package typealias Answer = Claims

  /// The account whose user it is.
  package let account: String
  /// Whether the issuer is asked although it was before.
  package let isFresh: Bool

  package init(_ parameters: Parameters) throws(RPCError) {
    (account, isFresh) = (try parameters.text("account"), parameters.flag("fresh"))
  }
}
