/// The outcome of a pairing.
package struct PairingInfo: ControlObject {
  package let account: String
  package let user: User
  package let authenticators: [PairedAuthenticator]
  package let wantsNickname: Bool

  package init(
    account: String,
    user: User,
    authenticators: [PairedAuthenticator],
    wantsNickname: Bool = false
  ) {
    (self.account, self.user, self.authenticators) = (account, user, authenticators)
    self.wantsNickname = wantsNickname
  }

  package static let shape = Shape(
    "PairingInfo",
    PairingInfo.init(account:user:authenticators:wantsNickname:),
    .required("account", \.account, as: .identifier, "the id of the account that it made"),
    .required("user", \.user, "whose account it is"),
    .required("authenticators", \.authenticators, "what was set up"),
    .optional(
      "promptForNickname",
      \.wantsNickname,
      default: false,
      "the organization wants a name of this machine; account.rename gives it"
    )
  )
}
