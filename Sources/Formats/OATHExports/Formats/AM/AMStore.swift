internal import JSON

extension ExportDecoder {
  /// Records of ForgeRock's and Ping's authenticator libraries for PingAM.
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

/// The records of an authenticator library: one record, several records, or the migration file from the older
/// to the newer libraries.
///
/// A migration file lists mechanisms, each with its account.
struct AMStore {
  let records: [AMStoredRecord]
  /// The accounts of the records, by issuer and name.
  private let accounts: [[String]: [JSON]]
  /// True for a migration file.
  private let isMove: Bool

  init?(_ json: JSON) {
    let mechanisms = json["mechanisms"]?.array
    guard let values = mechanisms ?? json.array ?? (json.object == nil ? nil : [json]) else { return nil }
    isMove = mechanisms != nil
    records = values.map(AMStoredRecord.init)
    let accounts = isMove ? [] : records.filter { $0.kind == .account }
    self.accounts = Dictionary(grouping: accounts.map(\.json)) { Self.names(of: $0) ?? [] }
  }

  /// Returns the entry of a record; `nil` for a valid record without a credential.
  func entry(_ index: Int, _ record: AMStoredRecord) -> ExportedEntry? {
    let json = record.json
    if record.kind == .aside || (record.kind == .account && Self.names(of: json) != nil) { return nil }
    let names = AccountNames(issuer: json["issuer"]?.string, label: json["accountName"]?.string)
    return ExportedEntry(index, names) { () throws(OATHError) in
      guard Self.names(of: json) != nil else { throw .missing("issuer or accountName") }
      switch record.kind {
      case .mechanism: return try record.mechanism(with: account(of: json))
      case .oathCredential: return try record.oathCredential()
      case .pushCredential: return try record.pushCredential()
      case .account, .aside, nil: throw .missing("a member of a credential")
      }
    }
  }

  /// Returns the account of a mechanism; `nil` if the records have no accounts.
  private func account(of mechanism: JSON) throws(OATHError) -> JSON? {
    guard let names = Self.names(of: mechanism) else { throw .missing("issuer or accountName") }
    if isMove {
      // If a mechanism has no account, its account was removed.
      guard let account = mechanism["account"], Self.names(of: account) == names else {
        throw .missing("its account")
      }
      return account
    }
    guard !accounts.isEmpty else { return nil }
    guard let known = accounts[names] else { throw .missing("its account") }
    guard known.count == 1 else { throw .repeated("its account") }
    return known[0]
  }

  /// Returns the issuer and the account name, which relate a mechanism to its account.
  private static func names(of record: JSON) -> [String]? {
    guard let issuer = record["issuer"]?.string, let account = record["accountName"]?.string else {
      return nil
    }
    return [issuer, account]
  }
}
