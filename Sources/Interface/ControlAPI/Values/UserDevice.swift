package import Time

/// A device of a user at PingOne or PingAM.
package struct UserDevice: ControlObject {
  package let id: String
  /// The other side's name of its type, such as `TOTP` or `MOBILE`; of PingAM `PUSH`, `OATH`, `WEBAUTHN`, `BINDING`.
  package let type: String
  /// Such as `ACTIVE` or `ACTIVATION_REQUIRED`.
  package let status: String
  package let nickname: String?
  package let createdAt: Timestamp?
  /// The account of this machine that it is.
  package var account: String?

  package static let shape = Shape(
    "UserDevice",
    UserDevice.init(id:type:status:nickname:createdAt:account:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("type", \.type, as: .text(maximum: 64), "what it is"),
    .required("status", \.status, as: .text(maximum: 64), "whether it can be used"),
    .optional("nickname", \.nickname, "what its user calls it"),
    .optional("createdAt", \.createdAt, "when it was made"),
    .optional("account", \.account, as: .identifier, "the account of this machine that it is")
  )

  package init(
    id: String,
    type: String,
    status: String,
    nickname: String? = nil,
    createdAt: Timestamp? = nil,
    account: String? = nil
  ) {
    (self.id, self.type, self.status) = (id, type, status)
    (self.nickname, self.createdAt, self.account) = (nickname, createdAt, account)
  }
}
