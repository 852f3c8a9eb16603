internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Session {
  /// The account that a person named: by its id, by a name of it, by the beginning of its id, or, unless that
  /// is too little for what is done, by a part of a name.
  func account(named name: String, orPart: Bool = true) throws(Failure) -> Account {
    guard let account = try account(fitting: name, among: try call(AccountList()), orPart: orPart) else {
      throw .local(.notFound, "no account \"\(name)\"", hint: "\"authctl accounts\" lists all")
    }
    return account
  }

  /// The account that a name fits; of several the one that is picked.
  func account(fitting name: String, among accounts: [Account], orPart: Bool) throws(Failure) -> Account? {
    guard !name.isEmpty else { throw misused("the account name is empty") }
    let fitting = Account.naming.fitting(name, among: accounts, orPart: orPart)
    return try fitting.first.map { (first) throws(Failure) in
      try only(first, of: fitting, "several accounts match \"\(name)\"")
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
        "no session is kept for account \(account)",
        hint: "\"authctl login\" keeps one if the configuration has keep_session = yes"
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
      hint: "give the id of one",
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

extension Session {
  /// The account that is to be changed: the one that the first word names, or at a terminal the only one or
  /// the one that is picked.
  ///
  /// Who is meant is shown where that was not said by the id.
  func accountToChange() throws(Failure) -> Account {
    guard let name = arguments.words.first else { return try accountToChange(among: try call(AccountList())) }
    let account = try account(named: name, orPart: isWatched)
    if isWatched, name != account.id { terminal?.show([Describe.account(account)]) }
    return account
  }

  func accountToChange(among accounts: [Account]) throws(Failure) -> Account {
    guard let first = accounts.first else {
      throw .local(.notFound, "there is no account", hint: "\"authctl accounts\" lists all")
    }
    let account = try only(first, of: accounts, "there are several accounts")
    if accounts.count == 1 { terminal?.show([Describe.account(account)]) }
    return account
  }

  /// Whether a part of a name is enough: somebody sees whose it is before anything happens.
  var isWatched: Bool { terminal != nil && !arguments.has("--yes") }

  /// What the words do not say is asked for; where nobody is asked they have to say it all.
  func require(words count: Int) throws(Failure) {
    guard isWatched || arguments.words.count >= count else { throw misused("too few arguments") }
  }

  /// The new name: the second word, or what is typed.
  func newName() throws(Failure) -> String {
    arguments.words.count > 1 ? arguments.words[1] : try answer(to: "new name", hidden: false)
  }
}

/// What a person means by a name: a thing's id, one of its names, or enough of either.
struct Naming<Item: Sendable>: Sendable {
  let id: @Sendable (Item) -> String
  var names: @Sendable (Item) -> [String?] = { _ in [] }
  /// The cells by which it is known among several.
  let row: @Sendable (Item) -> [SafeText]

  /// The things that fit best, in capitals or not: by the id, by a whole name, by the beginning of an id, and
  /// where a part of a name does, by that.
  func fitting(_ name: String, among items: [Item], orPart: Bool = true) -> [Item] {
    let text = name.lowercased()
    let ways: [(Item) -> Bool] = [
      { id($0) == name }, { item in called(item) { $0 == text } }, { id($0).hasPrefix(name) },
      { item in orPart && called(item) { $0.contains(text) } },
    ]
    return name.isEmpty ? [] : ways.lazy.map { items.filter($0) }.first { !$0.isEmpty } ?? []
  }

  private func called(_ item: Item, _ fits: (String) -> Bool) -> Bool {
    names(item).contains { $0.map { fits($0.lowercased()) } == true }
  }
}
