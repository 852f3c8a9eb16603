internal import ControlAPI

/// Accounts as a person reads them.
enum AccountText {
  static func lines(_ accounts: [Account]) -> [SafeText] { Columns.lines(accounts.map(row)) }

  /// While its owner is locked an account has no name.
  private static func name(of account: Account) -> SafeText {
    let name = account.nickname ?? account.label
    return name.isEmpty ? "-" : "\(name)"
  }

  private static func row(_ account: Account) -> [SafeText] {
    var row: [SafeText] = [
      "\(account.id)", "\(account.kind.name)", name(of: account),
      Describe.user(account.user),
    ]
    if let geography = account.geography { row.append("\(geography.name)") }
    let authenticators = account.authenticators.map { "\($0.type)" as SafeText }
    if !authenticators.isEmpty { row.append(authenticators.joined(separator: ", ")) }
    if account.isLocked { row.append(account.lock.map { "locked \(LockText.words($0))" } ?? "locked") }
    if account.state != .active { row.append("\(account.state.name)") }
    return row
  }
}
