package import JSONRPC

package struct PasscodeGet: ControlMethod {
  package static let name = "passcode.get"
  package static let access = AccessClass.use
  package static let summary = "computes the passcode of now, and of the window after it"
  package static let errors: [RPCError] =
    .presence + [.notConfigured, .notPaired, .notFound, .ambiguous, .accountLocked, .keyUnavailable]
  package static let parameters = Shape(
    PasscodeGet.init(account:wantsNext:isConfirmed:presence:),
    .optional("account", \.account, as: .identifier, "the account; absent: the only one"),
    .optional("next", \.wantsNext, default: false, "the window after this one is wanted too"),
    .optional("confirm", \.isConfirmed, default: false, "to go on with a count that is that of a backup"),
    PresenceClaim.parameter(\.presence)
  )
  package static var example: Example<Self> { Example(PasscodeGet(), Samples.passcode) }

  package typealias Result = Passcode

  package let account: String?
  package let wantsNext: Bool
  package let isConfirmed: Bool
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(
    account: String? = nil,
    wantsNext: Bool = false,
    isConfirmed: Bool = false,
    presence: PresenceClaim? = nil
  ) {
    (self.account, self.wantsNext) = (account, wantsNext)
    (self.isConfirmed, self.presence) = (isConfirmed, presence)
  }
}
