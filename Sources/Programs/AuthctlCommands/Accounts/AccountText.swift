internal import ControlAPI
internal import ControlClient

/// Accounts as a person reads them.
enum AccountText {
  static func lines(_ accounts: [Account]) -> [SafeText] {
    Columns.lines(accounts) { row($0, among: accounts) }
  }

  static func row(_ account: Account) -> [SafeText] { row(account, among: []) }

  /// The cells by which it is known among others.
  static func row(_ account: Account, among all: [Account]) -> [SafeText] {
    var row: [SafeText] = [
      "\(account.id)", "\(account.kind.name)", Describe.name(of: account),
      Describe.user(account.user),
    ]
    if let issuer = Describe.issuer(of: account, among: all) { row.append(issuer) }
    let authenticators = account.authenticators.map { "\($0.type)" as SafeText }
    if !authenticators.isEmpty { row.append(authenticators.joined(separator: ", ")) }
    if account.isLocked { row.append(account.lock.map { "locked \(LockText.words($0))" } ?? "locked") }
    if account.state != .active { row.append("\(account.state.name)") }
    return row
  }
}
