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
    throw .local(
      .ambiguous,
      "several accounts fit \"\(name)\"",
      hint: "name one by its id",
      list: AccountList.lines(.array(fitting)),
      details: ["accounts": .array(fitting)]
    )
  }
}
