package import JSONRPC

/// Computes the passcode of now, and of the window after it.
package struct PasscodeGet: ControlMethod {
  package static let name = "passcode.get"
  package static let access = AccessClass.use
  package static let summary = "computes the passcode of now, and of the window after it"
  package static let parameters: [Property] = [
    .optional("account", .identifier),
    .optional("next", .boolean),
  ]

  package typealias Answer = Passcode

  /// The account's id; absent: the only one.
  package let account: String?

  /// Whether the window after this one is wanted too.
  package let wantsNext: Bool

  package init(_ parameters: Parameters) throws(RPCError) {
    account = parameters.optionalText("account")
    wantsNext = parameters.flag("next")
  }
}
