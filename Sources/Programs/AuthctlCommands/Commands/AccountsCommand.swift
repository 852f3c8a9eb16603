internal import JSON

extension Command {
  static let accounts = Command(
    "accounts",
    summary: "list the accounts of this machine's authenticator",
    details: "One line each: id, kind, name, user, geography, authenticators."
  ) { (session) throws(Failure) in
    let result = try session.call("account.list")
    try session.output.result(result) { AccountList.lines($0["accounts"]) }
    if !session.output.asJSON, result["accounts"]?.array?.isEmpty ?? true {
      session.output.note("there are no accounts")
    }
  }
}
