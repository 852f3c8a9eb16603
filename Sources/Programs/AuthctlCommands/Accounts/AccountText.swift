internal import ControlAPI
internal import ControlClient

/// Accounts as a person reads them.
enum AccountText {
  static func lines(_ accounts: [Account]) -> [SafeText] { Columns.lines(accounts.map(row)) }

  /// Who is meant, and by whom: what a person knows an account by.
  static func words(_ account: Account) -> SafeText {
    let place: SafeText? = account.issuer.map { "\($0)" } ?? account.geography.map { "PingOne \($0.name)" }
    let user: SafeText? = account.user.map { Describe.user($0) }
    let parts = [name(of: account), user, place].compactMap(\.self)
    return parts.enumerated().filter { index, part in !parts[..<index].contains { $0.text == part.text } }
      .map(\.element).joined(separator: ", ")
  }

  /// While its owner is locked an account has no name.
  private static func name(of account: Account) -> SafeText {
    let name = account.nickname ?? account.label
    return name.isEmpty ? "-" : "\(name)"
  }

  static func row(_ account: Account) -> [SafeText] {
    var row: [SafeText] = [
      "\(account.id)", "\(account.kind.name)", name(of: account),
      Describe.user(account.user),
    ]
    let place = account.issuer ?? account.geography?.name
    if let place { row.append("\(place)") }
    let authenticators = account.authenticators.map { "\($0.type)" as SafeText }
    if !authenticators.isEmpty { row.append(authenticators.joined(separator: ", ")) }
    if account.isLocked { row.append(account.lock.map { "locked \(LockText.words($0))" } ?? "locked") }
    if account.state != .active { row.append("\(account.state.name)") }
    return row
  }
}
