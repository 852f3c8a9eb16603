internal import ControlAPI
internal import ControlClient
internal import Usage

extension Session {
  /// The account that is to be changed: the one that the first word names, or at a terminal the only one or the one that is
  /// picked.
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
