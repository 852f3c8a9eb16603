internal import ControlAPI
internal import ControlClient
internal import JSONRPC

extension Session {
  /// The id of the account that a person named: by its id, by a name of it, by the beginning of its id, or where nothing
  /// is changed by a part of its issuer or label too.
  func account(named name: String, orPart: Bool = false) throws(Failure) -> String {
    guard !name.isEmpty else { throw misused("the name of an account is missing") }
    let accounts = try call(AccountList())
    if accounts.contains(where: { $0.id == name }) { return name }
    let text = name.lowercased()
    let ways: [(Account) -> Bool] = [
      { $0.isCalled(text) }, { $0.id.hasPrefix(name) }, { orPart && $0.isAbout(text) },
    ]
    let fitting = ways.lazy.map { accounts.filter($0) }.first { !$0.isEmpty } ?? []
    guard let first = fitting.first else {
      throw .local(.notFound, "no account \"\(name)\"", hint: "\"authctl accounts\" lists all")
    }
    return try only(first, of: fitting, "several accounts fit \"\(name)\"")
  }

  /// Calls a method for the account whose session is meant; where none is kept, says what would keep one.
  func reply<Method: ControlMethod>(
    forSession method: (String) -> Method
  ) throws(Failure) -> (account: String, reply: Reply<Method.Result>) {
    let account = try accountOfSession()
    do { return (account, try reply(to: method(account))) } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .notFound) else { throw error }
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
    // No other kind has an issuer to sign on at.
    let accounts = try call(AccountList()).filter { $0.kind == .pingOne }
    guard let first = accounts.first else {
      throw .local(.notFound, "there is no account", hint: "\"authctl login\" signs on and pairs")
    }
    return try only(first, of: accounts, "there are several accounts")
  }

  func only(
    _ first: Account,
    of accounts: [Account],
    _ several: SafeText
  ) throws(Failure) -> String {
    guard accounts.count > 1 else { return first.id }
    if let picked = try pick(accounts, "which account?", AccountText.row) { return picked.id }
    throw .local(
      .ambiguous,
      several,
      hint: "name one by its id",
      list: AccountText.lines(accounts),
      details: AccountList.json(of: accounts)
    )
  }
}

extension Account {
  func isCalled(_ name: String) -> Bool {
    [nickname, label, issuer, user?.username, user?.email].contains { $0?.lowercased() == name }
  }

  /// Whether its issuer or what it is called holds a text, in lower case.
  fileprivate func isAbout(_ text: String) -> Bool {
    [nickname, label, issuer].contains { $0?.lowercased().contains(text) == true }
  }
}
