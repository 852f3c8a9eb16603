internal import WebAddress

extension ExportDecoder {
  /// Parts of one or more transfers in any order; each transfer must be complete.
  static let migration = ExportDecoder(
    format: .migration,
    recognizes: { $0.begins(withScheme: "otpauth-migration") },
    decode: { data throws(ExportError) in
      guard let lines = data.lines, !lines.isEmpty else { throw .malformed }
      var transfers: [Int64: [MigrationPart]] = [:]
      var order: [Int64] = []
      for line in lines {
        let part = try MigrationPart(line)
        if transfers[part.transfer] == nil { order.append(part.transfer) }
        transfers[part.transfer, default: []].append(part)
      }
      var parameters: [ProtobufMessage] = []
      for transfer in order {
        let parts = (transfers[transfer] ?? []).sorted { $0.index < $1.index }
        let count = parts.first?.count ?? 0
        guard parts.allSatisfy({ $0.count == count }) else { throw .malformed }
        guard parts.map(\.index) == Array(0..<count) else { throw .incomplete(parts: Int(count)) }
        parameters += parts.flatMap(\.parameters)
      }
      return try .entries(of: parameters) { ExportedEntry($0, migration: $1) }
    }
  )
}

/// One URI of a transfer, the MigrationPayload of Google Authenticator.
private struct MigrationPart {
  private static let most: Int64 = 100

  let transfer: Int64
  let index: Int64
  let count: Int64
  let parameters: [ProtobufMessage]

  init(_ line: Substring) throws(ExportError) {
    let parts = line.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      ["otpauth-migration://offline", "otpauth-migration://offline/"].contains(parts[0]),
      parts[1].hasPrefix("data="), let text = FormEncoding.decodePercent(parts[1].dropFirst("data=".count)),
      let bytes = Base64.decode(text)
    else { throw .malformed }
    let payload = try ProtobufMessage(bytes[...])
    parameters = try payload.messages(1)
    (transfer, index) = (try payload.number(5) ?? 0, try payload.number(4) ?? 0)
    count = try payload.number(3) ?? 1
    guard (1...Self.most).contains(count) else { throw .malformed }
  }
}

extension ExportedEntry {
  private static let types: [Int64: OATHRecord.Kind] = [1: .hotp, 2: .totp]
  private static let algorithms: [Int64: String] = [0: "SHA1", 1: "SHA1", 2: "SHA256", 3: "SHA512"]
  private static let digits: [Int64: Int] = [0: 6, 1: 6, 2: 8]

  /// Reads OtpParameters; the time step is always 30 seconds.
  fileprivate init(_ index: Int, migration message: ProtobufMessage) {
    let issuer = (try? message.text(3)) ?? nil
    var label = (try? message.text(2)) ?? nil
    // The name may begin with the issuer, as in a key URI.
    if let issuer, !issuer.isEmpty, let name = label, name.hasPrefix(issuer + ":") {
      label = String(name.dropFirst(issuer.count + 1))
    }
    self.init(index, issuer: issuer, label: label) {
      guard let secret = try message.bytes(1) else { throw Skip.invalid }
      guard let type = try Self.types[message.number(6) ?? 0],
        let algorithm = try Self.algorithms[message.number(4) ?? 0],
        let digits = try Self.digits[message.number(5) ?? 0]
      else { throw Skip.unsupported }
      let record = try OATHRecord(
        type: type,
        secret: Base32.encode(secret),
        algorithm: algorithm,
        digits: digits,
        period: type == .totp ? 30 : nil,
        counter: type == .hotp ? Int(message.number(7) ?? 0) : nil,
        issuer: message.text(3),
        label: message.text(2) == nil ? nil : label
      )
      return .oath(record)
    }
  }
}
