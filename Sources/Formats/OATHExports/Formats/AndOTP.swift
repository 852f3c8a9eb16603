internal import JSON

extension ExportDecoder {
  /// andOTP's backup: a JSON array of accounts, or encrypted data.
  ///
  /// Encrypted data begins with four bytes that contain the rounds of PBKDF2. Salt, nonce, ciphertext and tag
  /// follow.
  static let andOTP = ExportDecoder(
    format: .andOTP,
    recognizes: { data in
      switch data {
      case .json(let json): json.array?.first.map { $0["secret"] != nil && $0["accountName"] == nil } ?? false
      case .text: false
      case .binary(let bytes): (try? EncryptedExport(andOTP: bytes)) != nil
      }
    },
    decode: { data throws(ExportError) in
      switch data {
      case .json(let json): return try entries(ofAndOTP: json)
      case .text: throw .malformed
      case .binary(let bytes): return .encrypted(try EncryptedExport(andOTP: bytes))
      }
    }
  )

  fileprivate static func entries(ofAndOTP json: JSON) throws(ExportError) -> Export.Contents {
    guard let entries = json.array else { throw .malformed }
    return try .entries(of: entries) { index, entry in
      let draft = EntryDraft(
        type: entry["type"],
        secret: entry["secret"],
        algorithm: entry["algorithm"],
        digits: entry["digits"],
        period: entry["period"],
        counter: entry["counter"],
        issuer: entry["issuer"],
        label: entry["label"]
      )
      return ExportedEntry(index, draft)
    }
  }
}

extension EncryptedExport {
  private static let saltLength = 12

  fileprivate init(andOTP bytes: [UInt8]) throws(ExportError) {
    let overhead = 4 + Self.saltLength + SealedBox.nonceLength + SealedBox.tagLength
    guard bytes.count > overhead else { throw .malformed }
    let rounds = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    let salt = Array(bytes[4..<(4 + Self.saltLength)])
    let rest = bytes[(4 + Self.saltLength)...]
    guard
      let box = SealedBox(
        nonce: Array(rest.prefix(SealedBox.nonceLength)),
        sealed: rest.dropFirst(SealedBox.nonceLength)
      )
    else { throw .malformed }
    self.init(
      format: .andOTP,
      lock: .password(try KeyDerivation.pbkdf2(.sha1, salt: salt, rounds: rounds).checked(), witness: nil),
      contents: box,
      decode: { json throws(ExportError) in try ExportDecoder.entries(ofAndOTP: json) }
    )
  }
}
