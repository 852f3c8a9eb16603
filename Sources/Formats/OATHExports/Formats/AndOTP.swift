internal import JSON

extension ExportDecoder {
  /// andOTP's backup: a JSON array of accounts, or encrypted data.
  ///
  /// Encrypted data begins with four bytes that contain the rounds of PBKDF2. Salt, nonce, ciphertext and tag
  /// follow. Old versions wrote only nonce, ciphertext and tag; nothing marks this form, so it is not detected.
  static let andOTP = ExportDecoder(
    format: .andOTP,
    recognizes: { data in
      switch data {
      case .json(let json): json.array?.first.map { $0["secret"] != nil && $0["accountName"] == nil } ?? false
      case .text: false
      case .binary(let bytes): EncryptedExport.rounds(ofAndOTP: bytes) != nil
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

  /// Returns the rounds of PBKDF2; `nil` if they exceed the limits, as the random nonce of the old form does.
  fileprivate static func rounds(ofAndOTP bytes: [UInt8]) -> Int? {
    let rounds = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let overhead = 4 + saltLength + SealedBox.nonceLength + SealedBox.tagLength
    return bytes.count > overhead && KeyDerivation.rounds.contains(rounds) ? rounds : nil
  }

  fileprivate init(andOTP bytes: [UInt8]) throws(ExportError) {
    var (derivation, rest) = (KeyDerivation.sha256, bytes[...])
    if let rounds = Self.rounds(ofAndOTP: bytes) {
      derivation = .pbkdf2(.sha1, salt: Array(rest.dropFirst(4).prefix(Self.saltLength)), rounds: rounds)
      rest = rest.dropFirst(4 + Self.saltLength)
    }
    guard
      let box = SealedBox(
        nonce: Array(rest.prefix(SealedBox.nonceLength)),
        sealed: rest.dropFirst(SealedBox.nonceLength)
      )
    else { throw .malformed }
    self.init(
      format: .andOTP,
      lock: .password(derivation, witness: nil),
      contents: box,
      decode: { json throws(ExportError) in try ExportDecoder.entries(ofAndOTP: json) }
    )
  }
}
