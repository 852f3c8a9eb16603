internal import JSON

extension ExportDecoder {
  /// What ForgeRock's and Ping's libraries for authenticators keep for PingAM.
  static let am = ExportDecoder(
    format: .am,
    recognizes: { data in
      data.json?["mechanisms"]?.array != nil
        || data.json.flatMap(AMStore.init)?.records.contains(where: \.isMarked) == true
    },
    decode: { data throws(ExportError) in
      guard let store = data.json.flatMap(AMStore.init) else { throw .malformed }
      return try .entries(of: store.records) { store.entry($0, $1) }
    }
  )
}

/// Records of a library for authenticators: one, several, or what moves from the older libraries to the newer, which
/// is the mechanisms with each one's account in it.
struct AMStore {
  let records: [AMStoredRecord]
  /// The accounts among the records, by their names.
  private let accounts: [[String]: [JSON]]
  /// Whether each mechanism is moved with its account.
  private let isMove: Bool

  init?(_ json: JSON) {
    let mechanisms = json["mechanisms"]?.array
    guard let values = mechanisms ?? json.array ?? (json.object == nil ? nil : [json]) else { return nil }
    isMove = mechanisms != nil
    records = values.map(AMStoredRecord.init)
    let accounts = isMove ? [] : records.filter { $0.kind == .account }
    self.accounts = Dictionary(grouping: accounts.map(\.json)) { Self.names(of: $0) ?? [] }
  }

  /// The entry of a record; `nil` of one that holds no credential, and says truly what it is.
  func entry(_ index: Int, _ record: AMStoredRecord) -> ExportedEntry? {
    let json = record.json
    if record.kind == .aside || (record.kind == .account && Self.names(of: json) != nil) { return nil }
    return ExportedEntry(index, issuer: json["issuer"]?.string, label: json["accountName"]?.string) {
      guard Self.names(of: json) != nil else { throw ExportedEntry.Skip.invalid }
      switch record.kind {
      case .mechanism: return try record.mechanism(with: account(of: json))
      case .oathCredential: return try record.oathCredential()
      case .pushCredential: return try record.pushCredential()
      case .account, .aside, nil: throw ExportedEntry.Skip.invalid
      }
    }
  }

  /// The account of a mechanism; `nil` where there are no accounts at all.
  private func account(of mechanism: JSON) throws -> JSON? {
    guard let names = Self.names(of: mechanism) else { throw ExportedEntry.Skip.invalid }
    if isMove {
      // One without an account was left behind when that was removed.
      guard let account = mechanism["account"], Self.names(of: account) == names else {
        throw ExportedEntry.Skip.invalid
      }
      return account
    }
    guard !accounts.isEmpty else { return nil }
    guard let known = accounts[names], known.count == 1 else { throw ExportedEntry.Skip.invalid }
    return known[0]
  }

  /// Issuer and account name, by which a mechanism and its account belong together.
  private static func names(of record: JSON) -> [String]? {
    guard let issuer = record["issuer"]?.string, let account = record["accountName"]?.string else {
      return nil
    }
    return [issuer, account]
  }
}
