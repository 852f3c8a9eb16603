internal import JSON

/// An entry of an export: its credential, or the reason to skip it.
public struct ExportedEntry: Sendable {
  public enum Skip: String, Error, Sendable {
    /// Valid, but of an unsupported kind.
    case unsupported
    case invalid

    public init(_ error: OATHError) {
      switch error {
      case .unsupportedType, .unsupported: self = .unsupported
      case .notAKeyURI, .invalid, .missing, .repeated: self = .invalid
      }
    }
  }

  /// The index of the entry in the export, from 0.
  public let index: Int
  public let issuer: String?
  public let label: String?
  public let credential: Result<ExportedCredential, Skip>

  /// The passcode record; fails with `unsupported` for other credentials.
  public var record: Result<OATHRecord, Skip> {
    credential.flatMap { credential in
      if case .oath(let record) = credential { .success(record) } else { .failure(.unsupported) }
    }
  }

  /// Creates an entry.
  ///
  /// If `read` throws a `Skip`, it is the reason to skip the entry. If `read` throws an error for an
  /// unsupported type, the reason is `unsupported`, and for any other error `invalid`.
  init(_ index: Int, issuer: String?, label: String?, _ read: () throws -> ExportedCredential) {
    (self.index, self.issuer, self.label) = (index, issuer, label)
    credential = Result { try read() }.mapError { error in
      error as? Skip ?? (error as? OATHError == .unsupportedType ? .unsupported : .invalid)
    }
  }

  /// Creates an entry from a URI.
  init(_ index: Int, uri text: some StringProtocol) {
    let label = (try? KeyURI(text))?.label
    self.init(index, issuer: nil, label: label) { .oath(try OATHRecord(uri: text)) }
  }

  init(_ index: Int, _ draft: EntryDraft) {
    self.init(index, issuer: draft.issuer?.string, label: draft.label?.string) { .oath(try draft.record()) }
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
