internal import JSON

/// Accounts as a person reads them.
enum AccountList {
  /// One line for each account of an array.
  static func lines(_ accounts: JSON?) -> [SafeText] {
    Columns.lines((accounts?.array ?? []).map(row))
  }

  private static func row(_ account: JSON) -> [SafeText] {
    // An error names accounts by their ids or as `account.list` does.
    guard account.object != nil else { return [Describe.value(account)] }
    let name = account["nickname"] ?? account["label"]
    var row = [Describe.value(account["id"]), Describe.value(account["kind"]), Describe.value(name)]
    row.append(Describe.user(account["user"]))
    if let geo = account["geo"] { row.append(Describe.value(geo)) }
    let authenticators = (account["authenticators"]?.array ?? []).map { Describe.value($0["type"] ?? $0) }
    if !authenticators.isEmpty { row.append(authenticators.joined(separator: ", ")) }
    if account["locked"] == true {
      row.append(LockText.words(account["lock"]).map { "locked \($0)" } ?? "locked")
    }
    if let state = account["state"] { row.append(Describe.value(state)) }
    return row
  }
}
