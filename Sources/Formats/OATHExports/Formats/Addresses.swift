internal import WebAddress

// Lines of addresses, from QR codes or from other programs. A file may mix both kinds, so both formats read both.

extension ExportDecoder {
  /// `otpauth:` addresses.
  static let uris = ExportDecoder(
    format: .uris,
    recognizes: { $0.begins(withScheme: "otpauth") },
    decode: { data throws(ExportError) in
      guard let lines = data.lines else { throw .malformed }
      return try entries(of: lines)
    }
  )

  /// Parts of transfers in any order.
  static let migration = ExportDecoder(
    format: .migration,
    recognizes: { $0.begins(withScheme: MigrationPart.scheme) },
    decode: { data throws(ExportError) in
      guard let lines = data.lines, lines.contains(where: { $0.isURI(of: MigrationPart.scheme) }) else {
        throw .malformed
      }
      return try entries(of: lines)
    }
  )

  private enum Item {
    case address(Substring)
    case parameters(ProtobufMessage)
  }

  private static func entries(of lines: [Substring]) throws(ExportError) -> Export.Contents {
    let (addresses, transfers) = try parted(lines)
    var items: [Item] = []
    for address in addresses {
      switch address {
      case .line(let line): items.append(.address(line))
      case .transfer(let place): items += try transfers[place].parameters().map { .parameters($0) }
      }
    }
    return try .entries(of: items) { index, item in
      switch item {
      case .address(let line): ExportedEntry(index, uri: line)
      case .parameters(let message): ExportedEntry(index, migration: message)
      }
    }
  }

  private enum Address {
    case line(Substring)
    /// The index of a transfer, at the place of its first part.
    case transfer(Int)
  }

  /// Assembles the transfers; a code that was read twice counts once.
  private static func parted(_ lines: [Substring]) throws(ExportError) -> ([Address], [MigrationTransfer]) {
    var (addresses, transfers): ([Address], [MigrationTransfer]) = ([], [])
    var known: Set<[UInt8]> = []
    for line in lines {
      guard known.count + addresses.count <= 2 * Export.maximumEntries else {
        throw .tooManyEntries(maximum: Export.maximumEntries)
      }
      guard line.isURI(of: MigrationPart.scheme) else {
        addresses.append(.line(line))
        continue
      }
      let part = try MigrationPart(line)
      guard known.insert(part.payload).inserted else { continue }
      if let place = transfers.firstIndex(where: { $0.lacks(part) }) {
        transfers[place].add(part)
      } else {
        addresses.append(.transfer(transfers.count))
        transfers.append(MigrationTransfer(part))
      }
    }
    return (addresses, transfers)
  }
}

/// A transfer of Google Authenticator; several transfers may have the same id.
private struct MigrationTransfer {
  private var parts: [Int64: MigrationPart]
  private let id: Int64
  private let count: Int64

  init(_ part: MigrationPart) {
    (id, count) = (part.transfer, part.count)
    parts = [part.index: part]
  }

  /// True if the part may belong to this transfer.
  func lacks(_ part: MigrationPart) -> Bool {
    part.transfer == id && part.count == count && parts[part.index] == nil
  }

  mutating func add(_ part: MigrationPart) { parts[part.index] = part }

  /// Returns the accounts of all parts; throws an error if a part is missing.
  func parameters() throws(ExportError) -> [ProtobufMessage] {
    var parameters: [ProtobufMessage] = []
    for index in 0..<count {
      guard let part = parts[index] else { throw .incomplete(part: Int(index) + 1, of: Int(count)) }
      parameters += part.parameters
    }
    return parameters
  }
}

/// One URI of a transfer, the MigrationPayload of Google Authenticator.
private struct MigrationPart {
  static let scheme = "otpauth-migration"
  private static let most: Int64 = 100

  let payload: [UInt8]
  let transfer: Int64
  let index: Int64
  let count: Int64
  let parameters: [ProtobufMessage]

  init(_ line: Substring) throws(ExportError) {
    let parts = line.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      ["\(Self.scheme)://offline", "\(Self.scheme)://offline/"].contains(parts[0].lowercased()),
      parts[1].hasPrefix("data="), let text = FormEncoding.decodePercent(parts[1].dropFirst("data=".count)),
      let payload = Base64.decode(text)
    else { throw .malformed }
    let message = try ProtobufMessage(payload[...])
    self.payload = payload
    parameters = try message.messages(1)
    transfer = try message.number(5) ?? 0
    // An absent number and 0 are the same in proto3: a transfer of one part.
    count = try max(message.number(3) ?? 0, 1)
    index = count == 1 ? 0 : try message.number(4) ?? 0
    guard try message.number(3) ?? 0 >= 0, count <= Self.most, (0..<count).contains(index) else {
      throw .malformed
    }
  }
}

extension ExportedEntry {
  private static let types: [Int64: OATHRecord.Kind] = [1: .hotp, 2: .totp]
  private static let algorithms: [Int64: String] = [0: "SHA1", 1: "SHA1", 2: "SHA256", 3: "SHA512"]
  private static let digits: [Int64: Int] = [0: 6, 1: 6, 2: 8]

  /// Reads OtpParameters; the time step is always 30 seconds.
  fileprivate init(_ index: Int, migration message: ProtobufMessage) {
    let names = AccountNames(issuer: try? message.text(3), label: try? message.text(2))
    self.init(index, names) { () throws(OATHError) in
      do { return try Self.credential(message, names) } catch let error as OATHError { throw error } catch {
        throw .invalid("the entry of the transfer")
      }
    }
  }

  private static func credential(_ message: ProtobufMessage, _ names: AccountNames) throws
    -> ExportedCredential
  {
    guard let secret = try message.bytes(1) else { throw OATHError.missing("secret") }
    guard let type = try types[message.number(6) ?? 0] else { throw OATHError.unsupportedType }
    guard let algorithm = try algorithms[message.number(4) ?? 0] else {
      throw OATHError.unsupported("algorithm", allowed: "SHA1, SHA256 or SHA512")
    }
    guard let digits = try digits[message.number(5) ?? 0] else {
      throw OATHError.unsupported("digits", allowed: "6 or 8")
    }
    // Throws for names of another type; invalid UTF-8 in them would be lost too.
    _ = (try message.text(3), try message.text(2))
    return .oath(
      OATHRecord(
        type: type,
        secret: Base32.encode(secret),
        algorithm: algorithm,
        digits: digits,
        period: type == .totp ? 30 : nil,
        counter: type == .hotp ? Int(try message.number(7) ?? 0) : nil,
        issuer: names.issuer,
        label: names.account
      )
    )
  }
}
