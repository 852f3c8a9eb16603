package import JSONRPC

package struct PasscodeGet: ControlMethod {
  package static let name = "passcode.get"
  package static let access = AccessClass.use
  package static let summary = "computes the passcode of now, and of the window after it"
  package static let errors: [RPCError] = [
    .notConfigured, .notPaired, .notFound, .ambiguous, .accountLocked, .keyUnavailable,
  ]
  package static let parameters = Shape(
    PasscodeGet.init(account:wantsNext:),
    .optional("account", \.account, as: .identifier, "the account; absent: the only one"),
    .optional("next", \.wantsNext, default: false, "the window after this one is wanted too")
  )
  package static let example = Example(PasscodeGet(), Samples.passcode)

  package typealias Result = Passcode

  package let account: String?
  package let wantsNext: Bool

  package init(account: String? = nil, wantsNext: Bool = false) {
    (self.account, self.wantsNext) = (account, wantsNext)
  }
}
