internal import JSON

extension ExportDecoder {
  /// Aegis' vault, version 1; its database is plain, or encrypted with a key in one of several slots.
  static let aegis = ExportDecoder(
    format: .aegis,
    recognizes: { data in data.json?["header"]?.object != nil && data.json?["db"] != nil },
    decode: { data throws(ExportError) in
      guard let vault = data.json, vault["version"]?.int == 1, let header = vault["header"]?.object,
        let database = vault["db"]
      else { throw .malformed }
      guard let text = database.string else { return try entries(ofAegis: database) }
      guard let ciphertext = Base64.decode(text),
        let contents = SealedBox(parameters: header["params"], ciphertext: ciphertext)
      else { throw .malformed }
      let slots = (header["slots"]?.array ?? []).filter { $0["type"]?.int == passwordSlot }
      // Other slots require a phone's fingerprint reader or the raw key.
      guard !slots.isEmpty else { throw .unsupportedEncryption }
      guard slots.count <= EncryptedExport.maximumSlots else { throw .tooExpensive }
      return .encrypted(
        EncryptedExport(
          format: .aegis,
          lock: .slots(try slots.map { slot throws(ExportError) in try EncryptedExport.Slot(aegis: slot) }),
          contents: contents,
          decode: { text throws(ExportError) in try entries(ofAegis: text) }
        )
      )
    }
  )

  private static let passwordSlot = 1

  private static func entries(ofAegis database: JSON) throws(ExportError) -> Export.Contents {
    guard let entries = database["entries"]?.array else { throw .malformed }
    return try .entries(of: entries) { index, entry in
      let info = entry["info"]
      let draft = EntryDraft(
        type: entry["type"],
        secret: info?["secret"],
        algorithm: info?["algo"],
        digits: info?["digits"],
        period: info?["period"],
        counter: info?["counter"],
        issuer: entry["issuer"],
        label: entry["name"]
      )
      return ExportedEntry(index, draft)
    }
  }
}

extension EncryptedExport.Slot {
  /// Reads a slot: the parameters of scrypt, and the master key sealed with the derived key.
  fileprivate init(aegis slot: JSON) throws(ExportError) {
    guard let cost = slot["n"]?.int, let blockSize = slot["r"]?.int, let parallelism = slot["p"]?.int,
      let salt = slot["salt"]?.string.flatMap(Hexadecimal.decode),
      let key = slot["key"]?.string.flatMap(Hexadecimal.decode), key.count == 32,
      let box = SealedBox(parameters: slot["key_params"], ciphertext: key)
    else { throw .malformed }
    derivation =
      try KeyDerivation.scrypt(salt: salt, cost: cost, blockSize: blockSize, parallelism: parallelism)
      .checked()
    self.box = box
  }
}

extension SealedBox {
  /// Reads nonce and tag in hexadecimal.
  fileprivate init?(parameters: JSON?, ciphertext: [UInt8]) {
    guard let nonce = parameters?["nonce"]?.string.flatMap(Hexadecimal.decode),
      let tag = parameters?["tag"]?.string.flatMap(Hexadecimal.decode)
    else { return nil }
    self.init(nonce: nonce, ciphertext: ciphertext, tag: tag)
  }
}
