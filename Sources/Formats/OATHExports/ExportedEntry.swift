internal import JSON

/// An entry of an export: its credential, or the reason to skip it.
public struct ExportedEntry: Sendable {
  public enum Skip: String, Sendable {
    /// Valid, but of an unsupported kind.
    case unsupported
    case invalid

    public init(_ error: OATHError) {
      switch error {
      case .unsupportedType, .unsupported, .locked: self = .unsupported
      case .notAKeyURI, .tooLong, .invalid, .missing, .repeated: self = .invalid
      }
    }
  }

  /// The index of the entry in the export, from 0.
  public let index: Int
  public let names: AccountNames
  public let credential: Result<ExportedCredential, OATHError>

  /// The passcode record; fails for other credentials.
  public var record: Result<OATHRecord, OATHError> {
    credential.flatMap { credential in
      if case .oath(let record) = credential { .success(record) } else { .failure(.unsupportedType) }
    }
  }

  init(_ index: Int, _ names: AccountNames, _ read: () throws(OATHError) -> ExportedCredential) {
    (self.index, self.names) = (index, names)
    credential = Result(catching: read)
  }

  /// Creates an entry from a URI; `others` are the names of its item in the export, for a URI without names.
  init(
    _ index: Int,
    uri text: some StringProtocol,
    orNamed others: AccountNames = AccountNames(issuer: nil, label: nil)
  ) {
    // If the parameters are invalid, the label still names the entry.
    let uri = (try? KeyURI(text)) ?? (try? KeyURI(text.prefix { $0 != "?" }))
    self.init(index, uri?.names().filled(from: others) ?? others) { () throws(OATHError) in
      .oath(try OATHRecord(uri: KeyURI(text), orNamed: others))
    }
  }

  init(_ index: Int, _ draft: EntryDraft) {
    let names = AccountNames(issuer: draft.issuer?.string, label: draft.label?.string)
    self.init(index, names) { () throws(OATHError) in .oath(try draft.record()) }
  }
}

extension Export.Contents {
  /// Converts the items of an export into entries; `entry` returns `nil` for an item that is not an entry.
  static func entries<Item>(
    of items: [Item],
    _ entry: (Int, Item) -> ExportedEntry?
  ) throws(ExportError) -> Export.Contents {
    guard items.count <= Export.maximumEntries else {
      throw .tooManyEntries(maximum: Export.maximumEntries)
    }
    return .plain(items.enumerated().compactMap { entry($0.offset, $0.element) })
  }
}

/// The credential of an entry.
public enum ExportedCredential: Sendable, Equatable {
  /// The kinds in the order of their import: pushes are first, because a passcode may join a push account.
  public enum Kind: Sendable, CaseIterable {
    case push, oath
  }

  case oath(OATHRecord)
  case push(PushRecord)

  public var kind: Kind {
    switch self {
    case .oath: .oath
    case .push: .push
    }
  }

  /// The issuer and the account name, which two credentials of one account share.
  public var names: [String] {
    switch self {
    case .oath(let record): [record.issuer, record.label]
    case .push(let record): [record.issuer, record.label]
    }
  }
}
