internal import JSON

/// One entry of an export: what it says, or why that is of no use here.
public struct ExportedEntry: Sendable {
  public enum Skip: String, Error, Sendable {
    /// Whole, and of a kind that is not to be had here.
    case unsupported
    case invalid

    public init(_ error: OATHError) {
      switch error {
      case .unsupportedType, .unsupported: self = .unsupported
      case .notAKeyURI, .invalid, .missing, .repeated: self = .invalid
      }
    }
  }

  /// Its place in the export, from 0.
  public let index: Int
  public let issuer: String?
  public let label: String?
  public let credential: Result<ExportedCredential, Skip>

  /// What it says of passcodes; another credential has none.
  public var record: Result<OATHRecord, Skip> {
    credential.flatMap { credential in
      if case .oath(let record) = credential { .success(record) } else { .failure(.unsupported) }
    }
  }

  /// An entry whose reading fails with a skip, or with anything else that makes it invalid.
  init(_ index: Int, issuer: String?, label: String?, _ read: () throws -> ExportedCredential) {
    (self.index, self.issuer, self.label) = (index, issuer, label)
    credential = Result { try read() }.mapError { error in
      error as? Skip ?? (error as? OATHError == .unsupportedType ? .unsupported : .invalid)
    }
  }

  /// An entry that is a URI.
  init(_ index: Int, uri text: some StringProtocol) {
    let label = (try? KeyURI(text))?.label
    self.init(index, issuer: nil, label: label) { .oath(try OATHRecord(uri: text)) }
  }

  init(_ index: Int, _ draft: EntryDraft) {
    self.init(index, issuer: draft.issuer?.string, label: draft.label?.string) { .oath(try draft.record()) }
  }
}

extension Export.Contents {
  /// The entries of so many items, each by its place and what it holds; `nil` is of an item that is none.
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

/// What an entry of an export holds.
public enum ExportedCredential: Sendable, Equatable {
  /// The kinds in the order in which they are taken: what another can become a part of is first.
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

  /// The issuer and what the account is called there: what two credentials of one account have in common.
  public var names: [String] {
    switch self {
    case .oath(let record): [record.issuer, record.label]
    case .push(let record): [record.issuer, record.label]
    }
  }
}
