internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let accounts = Command(
    "accounts",
    summary: "list the accounts of this machine's authenticator",
    details: """
      One line each: issuer, name and user, use and state, beginning of the id. --json prints whole ids. While
      your authenticator is locked, the names are hidden.
      """
  ) { (session) throws(Failure) in
    let reply = try session.reply(to: AccountList())
    try session.output.result(reply, none: "there are no accounts") { AccountText.lines($0) }
    guard !session.output.asJSON, try reply.value.contains(where: \.label.isEmpty) else { return }
    session.output.hint("if names are hidden, \"authctl unlock\" shows them")
  }

  static let accountsRename = Command(
    "accounts rename",
    "[ACCOUNT [NAME]]",
    words: 0...2,
    operands: .accounts,
    summary: "rename an account",
    details:
      """
      ACCOUNT is an id or its beginning, the name of exactly one account or, on a terminal, part of a name.
      NAME must not be empty. On a terminal, authctl asks for missing arguments and lets you choose among
      several accounts. The platform receives the new name too.
      """,
    examples: ["authctl accounts rename github work"]
  ) { (session) throws(Failure) in
    try session.require(words: 2)
    let account = try session.chooseAccount()
    let name = Describe.account(account)
    let rename = AccountRename(account: account.id, nickname: try session.newName(of: name))
    let reply = try session.unlocked { () throws(Failure) in try session.reply(to: rename) }
    try session.output.result(reply) {
      ["account \(name) is now named \($0.nickname ?? $0.label)"]
    }
  }

  static let accountsRemove = Command(
    "accounts remove",
    "[ACCOUNT] [--local-only] [--yes]",
    words: 0...1,
    options: [
      Option("--local-only", "remove the account on this machine only; the platform keeps the pairing"),
      Option("--yes", "do not ask for confirmation"),
    ],
    operands: .accounts,
    summary: "remove an account and end its pairing",
    details: """
      ACCOUNT is an id or its beginning, the name of exactly one account or, on a terminal, part of a name.
      Without ACCOUNT, or if several accounts match, you choose one on the terminal and confirm the removal.
      Without a terminal, the whole id or --yes is required; --yes requires the whole id or the exact name.
      """,
    examples: [
      "authctl accounts remove github",
      "authctl accounts remove b5ZND654jjpSPOC3 --local-only --yes",
    ]
  ) { (session) throws(Failure) in
    try session.require(words: 1)
    let account = try session.chooseAccount()
    let name = Describe.account(account)
    let isNamed = session.arguments.words.first == account.id
    try session.confirm("remove account \(name)?", isNamed: isNamed, orElse: "not removed")
    let remove = AccountRemove(account: account.id, isLocalOnly: session.arguments.has("--local-only"))
    do throws(Failure) {
      let reply = try session.unlocked { () throws(Failure) in try session.reply(to: remove) }
      try session.output.result(reply) { remains in
        ["removed account \(name)\(remains ? " here; its platform still has the pairing" : "")"]
      }
    } catch {
      guard case .refused(var refusal) = error, refusal.isAbout(policy: "sign-on-needed") else { throw error }
      // The message names the command that signs on; the hint adds the alternative without a sign-on.
      refusal.advice = "--local-only removes it on this machine only"
      throw .refused(refusal)
    }
  }
}
