internal import ControlAPI
internal import ControlClient
internal import OATHExports
internal import Text

/// The entries of a plain export as addresses, in parts that fit a request each, and those that cannot be one.
struct AddressParts {
  struct Part {
    var data = ""
    /// Where each address stands in the export.
    var places: [Int] = []
  }

  private(set) var parts: [Part] = []
  private(set) var skipped: [AccountImport.Skipped] = []

  init(_ entries: [ExportedEntry]) {
    for entry in entries {
      switch entry.record {
      case .success(let record):
        // The daemon takes no longer one either.
        if (try? KeyURI(record.uri)) == nil { skip(entry, .invalid) } else { add(record.uri, entry.index) }
      case .failure(.unsupported): skip(entry, .unsupported)
      case .failure(.invalid): skip(entry, .invalid)
      }
    }
  }

  private mutating func add(_ address: String, _ place: Int) {
    let isFull = parts.last.map { $0.data.utf8.count + address.utf8.count >= Export.maximumBytes } ?? true
    if isFull { parts.append(Part()) }
    parts[parts.count - 1].data += (isFull ? "" : "\n") + address
    parts[parts.count - 1].places.append(place)
  }

  private mutating func skip(_ entry: ExportedEntry, _ reason: AccountImport.Skipped.Reason) {
    skipped.append(
      AccountImport.Skipped(
        index: entry.index,
        issuer: entry.issuer.map { DisplayText.clean($0) },
        label: entry.label.map { DisplayText.clean($0) },
        reason: .known(reason)
      )
    )
  }
}

extension AccountImport.Skipped {
  /// The same entry by its place in the whole export.
  func placed(by places: [Int]) throws(Failure) -> Self {
    guard places.indices.contains(index) else { throw .notTheDaemon }
    return Self(index: places[index], issuer: issuer, label: label, reason: reason)
  }
}
