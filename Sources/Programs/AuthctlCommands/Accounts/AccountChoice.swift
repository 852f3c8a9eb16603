internal import JSON

extension Session {
  /// The id of the account that a person named, by its id or by a name that only one account has.
  func account(named name: String) throws(Failure) -> String {
    let accounts = try call("account.list")["accounts"]?.array ?? []
    if accounts.contains(where: { $0["id"]?.string == name }) { return name }
    let fitting = accounts.filter { account in
      let user = account["user"]
      let names = [
        account["nickname"], account["label"], account["issuer"], user?["username"], user?["email"],
      ]
      return names.contains { $0?.string?.lowercased() == name.lowercased() }
    }
    if fitting.count == 1, let id = fitting[0]["id"]?.string { return id }
    if fitting.isEmpty {
      throw .local(.notFound, "no account \"\(name)\"", hint: "\"authctl accounts\" lists all")
    }
    throw .severalAccounts(fitting, "several accounts fit \"\(name)\"")
  }

  /// Calls a method for the account whose session is meant; where none is kept, says what would keep one.
  func callForSession(_ method: String) throws(Failure) -> (account: String, result: JSON) {
    let account = try accountOfSession()
    do { return (account, try call(method, ["account": .string(account)])) } catch {
      guard case .refused(let refusal) = error, refusal.code == Refusal.notFound else { throw error }
      throw .local(
        .notFound,
        "no session of account \(account) is kept",
        hint: "\"authctl login\" leaves one if the configuration has keep_session = yes"
      )
    }
  }

  /// The id of the account whose session is meant: the one that was named, or the only one.
  private func accountOfSession() throws(Failure) -> String {
    if let name = arguments.words.first { return try account(named: name) }
    // Passcodes alone have no issuer.
    let accounts = (try call("account.list")["accounts"]?.array ?? []).filter { $0["kind"] != "OATH" }
    if accounts.count == 1, let id = accounts[0]["id"]?.string { return id }
    if accounts.isEmpty {
      throw .local(.notFound, "there is no account", hint: "\"authctl login\" signs on and pairs")
    }
    throw .severalAccounts(accounts, "there are several accounts")
  }
}

extension Failure {
  fileprivate static func severalAccounts(_ accounts: [JSON], _ message: SafeText) -> Failure {
    .local(
      .ambiguous,
      message,
      hint: "name one by its id",
      list: AccountList.lines(.array(accounts)),
      details: ["accounts": .array(accounts)]
    )
  }
}
