internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Session {
  /// The account that a person named: by its id, by a name of it, by the beginning of its id, or, unless that is
  /// too little for what is done, by a part of a name.
  func account(named name: String, orPart: Bool = true) throws(Failure) -> Account {
    guard let account = try account(fitting: name, among: try call(AccountList()), orPart: orPart) else {
      throw .local(.notFound, "no account \"\(name)\"", hint: "\"authctl accounts\" lists all")
    }
    return account
  }

  /// The account that a name fits; of several the one that is picked.
  func account(fitting name: String, among accounts: [Account], orPart: Bool) throws(Failure) -> Account? {
    guard !name.isEmpty else { throw misused("the name of an account is missing") }
    let fitting = Account.naming.fitting(name, among: accounts, orPart: orPart)
    return try fitting.first.map { (first) throws(Failure) in
      try only(first, of: fitting, "several accounts fit \"\(name)\"")
    }
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
    if let name = arguments.words.first { return try account(named: name).id }
    // No other kind has an issuer to sign on at.
    let accounts = try call(AccountList()).filter { $0.kind == .pingOne }
    guard let first = accounts.first else {
      throw .local(.notFound, "there is no account", hint: "\"authctl login\" signs on and pairs")
    }
    return try only(first, of: accounts, "there are several accounts").id
  }

  func only(
    _ first: Account,
    of accounts: [Account],
    _ several: SafeText
  ) throws(Failure) -> Account {
    guard accounts.count > 1 else { return first }
    let row = { AccountText.row($0, among: accounts) }
    if let picked = try pick(accounts, "which account?", row) { return picked }
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
  fileprivate static let naming = Naming<Account>(id: { $0.id }, names: { $0.names }, row: AccountText.row)

  private var names: [String?] { [nickname, label, issuer, user?.username, user?.email] }

  func isCalled(_ name: String) -> Bool { names.contains { $0?.lowercased() == name } }
}
