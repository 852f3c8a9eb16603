internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Session {
  /// Returns the account that a name matches; throws if there is none.
  func account(named name: String, by extent: NameExtent = .part) throws(Failure) -> Account {
    let accounts = try namedAccounts(for: name)
    guard let account = try account(fitting: name, among: accounts, by: extent) else {
      throw .local(.notFound, "no account \"\(name)\"", hint: "\"authctl accounts\" lists all")
    }
    return account
  }

  /// Returns the account that a name matches.
  ///
  /// If several match, the user chooses on the terminal. If a whole name is required, a part of one is
  /// refused.
  func account(
    fitting name: String,
    among accounts: [Account],
    by extent: NameExtent
  ) throws(Failure) -> Account? {
    guard !name.isEmpty else { throw misused("the account name is empty") }
    var fitting = Account.naming.fitting(name, among: accounts, by: extent)
    if fitting.isEmpty, extent == .whole {
      fitting = Account.naming.fitting(name, among: accounts, by: .part)
      guard fitting.isEmpty else {
        throw .local(
          .usage,
          "with --yes, \"\(name)\" must be the whole id or the exact name of an account",
          hint: "leave out --yes to be asked, or give the exact name",
          list: AccountText.lines(fitting)
        )
      }
    }
    return try fitting.first.map { (first) throws(Failure) in
      try only(first, of: fitting, "several accounts match \"\(name)\"")
    }
  }

  /// Calls a method for the chosen account.
  ///
  /// If the daemon keeps no session for the account, the error names the setting that makes it keep sessions.
  func reply<Method: ControlMethod>(
    forSession method: (String) -> Method
  ) throws(Failure) -> (account: SafeText, reply: Reply<Method.Result>) {
    let account = try accountOfSession()
    let name = Describe.account(account)
    do { return (name, try reply(to: method(account.id))) } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .notFound) else { throw error }
      throw .local(
        .notFound,
        "no session is kept for account \(name)",
        hint: "\"authctl login\" keeps one if the configuration has keep_session = yes"
      )
    }
  }

  /// Returns the named account, or the only one.
  private func accountOfSession() throws(Failure) -> Account {
    if let name = arguments.words.first { return try account(named: name) }
    // Accounts of other kinds have no issuer.
    let accounts = try namedAccounts().filter { $0.kind == .pingOne }
    guard let first = accounts.first else {
      throw .local(.notFound, "there is no account", hint: "\"authctl login\" signs on and pairs")
    }
    return try only(first, of: accounts, "there are several accounts")
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
      hint: "give the name or the id of one",
      list: AccountText.lines(accounts),
      details: AccountList.json(of: accounts)
    )
  }
}

extension Account {
  fileprivate static let naming = NameMatcher<Account>(
    id: { $0.id },
    names: { $0.names },
    row: AccountText.row
  )

  private var names: [String?] { [nickname, label, issuer, user?.username, user?.email] }

  func isCalled(_ name: String) -> Bool { names.contains { $0?.lowercased() == name } }
}

extension Session {
  /// Returns the account that the first word names or, on a terminal, the only account or the user's choice.
  func chooseAccount() throws(Failure) -> Account {
    guard let name = arguments.words.first else { return try chooseAccount(among: try namedAccounts()) }
    return try account(named: name, by: extent)
  }

  func chooseAccount(among accounts: [Account]) throws(Failure) -> Account {
    guard let first = accounts.first else {
      throw .local(.notFound, "there is no account", hint: "\"authctl accounts\" lists all")
    }
    return try only(first, of: accounts, "there are several accounts")
  }

  /// True if the user sees the account and confirms.
  private var isWatched: Bool { terminal != nil && !arguments.has("--yes") }

  /// The extent of a name for a command that changes an account.
  var extent: NameExtent { isWatched ? .part : arguments.has("--yes") ? .whole : .beginning }

  /// Throws if there are fewer words, unless the user at the terminal can be asked for the missing ones.
  func require(words count: Int) throws(Failure) {
    guard isWatched || arguments.words.count >= count else { throw misused("too few arguments") }
  }

  /// Returns the new name: the second word, or the answer to a prompt.
  func newName(of object: SafeText) throws(Failure) -> String {
    arguments.words.count > 1 ? arguments.words[1] : try answer(to: "new name of \(object)", hidden: false)
  }
}

/// The part of a name that identifies an item.
enum NameExtent {
  /// The whole id or a whole name.
  case whole
  /// Or the beginning of an id.
  case beginning
  /// Or part of a name.
  case part
}

/// Matches items by their id or its beginning, and by their names or parts of them.
struct NameMatcher<Item: Sendable>: Sendable {
  let id: @Sendable (Item) -> String
  var names: @Sendable (Item) -> [String?] = { _ in [] }
  /// The cells of the item in a list.
  let row: @Sendable (Item) -> [SafeText]

  /// Returns the best matches: by id, else by whole name, else by the beginning of an id, else by part of a
  /// name.
  ///
  /// Names match regardless of case.
  func fitting(_ name: String, among items: [Item], by extent: NameExtent = .part) -> [Item] {
    let text = name.lowercased()
    let ways: [(Item) -> Bool] = [
      { id($0) == name }, { item in called(item) { $0 == text } },
      { extent != .whole && id($0).hasPrefix(name) },
      { item in extent == .part && called(item) { $0.contains(text) } },
    ]
    return name.isEmpty ? [] : ways.lazy.map { items.filter($0) }.first { !$0.isEmpty } ?? []
  }

  private func called(_ item: Item, _ fits: (String) -> Bool) -> Bool {
    names(item).contains { $0.map { fits($0.lowercased()) } == true }
  }
}
