internal import JSON

extension Command {
  static let accountsRemove = Command(
    "accounts remove",
    "ACCOUNT [--local-only]",
    words: 1...1,
    options: [Option("--local-only", "do not tell the platform, which then still has the pairing")],
    summary: "end a pairing",
    details: "ACCOUNT is an id or a name that only one account has."
  ) { (session) throws(Failure) in
    let account = try session.account(named: session.arguments.words[0])
    let result = try session.call(
      "account.remove",
      ["account": .string(account), "localOnly": .bool(session.arguments.has("--local-only"))]
    )
    try session.output.result(result) {
      $0["remainsOnServer"] == true
        ? ["removed account \(account) here; its platform still has the pairing"]
        : ["removed account \(account)"]
    }
  }
}
