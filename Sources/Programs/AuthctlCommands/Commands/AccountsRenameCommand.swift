internal import JSON

extension Command {
  static let accountsRename = Command(
    "accounts rename",
    "ACCOUNT NAME",
    words: 2...2,
    summary: "call an account by a name of yours",
    details: "ACCOUNT is an id or a name that only one account has. The platform is told the new name too."
  ) { (session) throws(Failure) in
    let account = try session.account(named: session.arguments.words[0])
    let result = try session.call(
      "account.rename",
      ["account": .string(account), "nickname": .string(session.arguments.words[1])]
    )
    try session.output.result(result) {
      ["account \(Describe.value($0["id"])) is called \(Describe.value($0["nickname"]))"]
    }
  }
}
