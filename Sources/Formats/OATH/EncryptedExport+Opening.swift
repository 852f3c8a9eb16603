public import OATHExports
public import OpenSSL

extension EncryptedExport {
  /// Returns the entries of an encrypted export.
  ///
  /// Blocks during the key derivation, so it must be called on a `BlockingWorkQueue`.
  public func open(with password: Secret) throws(ExportError) -> [ExportedEntry] {
    switch lock {
    case .password(let derivation, let witness):
      let key = try derivation.key(from: password)
      if let entries = try entries(with: key) { return entries }
      guard let witness else { throw .wrongPasswordOrDamaged }
      throw witness.isOpened(by: key) ? .damaged : .wrongPassword
    case .slots(let slots):
      for slot in slots {
        guard let key = try slot.key(with: password) else { continue }
        guard let entries = try entries(with: key) else { throw .damaged }
        return entries
      }
      throw .wrongPassword
    }
  }

  /// Returns `nil` if the key does not decrypt the contents.
  private func entries(with key: Secret) throws(ExportError) -> [ExportedEntry]? {
    // The plaintext is in ordinary memory, because secret memory has space for keys but not for files.
    guard var plaintext = contents.open(with: key) else { return nil }
    defer { wipe(&plaintext) }
    return try entries(of: plaintext)
  }
}

extension EncryptedExport.Slot {
  /// Returns the key in the slot; `nil` if the password does not decrypt it.
  fileprivate func key(with password: Secret) throws(ExportError) -> Secret? {
    let key = try derivation.key(from: password)
    return try? AESGCM.openSecret(
      ciphertext: box.ciphertext,
      tag: box.tag,
      key: key,
      nonce: box.nonce,
      associatedData: []
    )
  }
}

extension SealedBox {
  fileprivate func open(with key: Secret) -> [UInt8]? {
    try? AESGCM.open(ciphertext: ciphertext, tag: tag, key: key, nonce: nonce, associatedData: [])
  }

  fileprivate func isOpened(by key: Secret) -> Bool { open(with: key) != nil }
}

extension KeyDerivation {
  fileprivate func key(from password: Secret) throws(ExportError) -> Secret {
    do {
      let derivation: PasswordKDF
      switch self {
      case .scrypt(let salt, let cost, let blockSize, let parallelism):
        derivation = .scrypt(salt: salt, cost: cost, blockSize: blockSize, parallelism: parallelism)
      case .pbkdf2(.sha1, let salt, let rounds): derivation = .pbkdf2(.sha1, salt: salt, rounds: rounds)
      case .pbkdf2(.sha256, let salt, let rounds): derivation = .pbkdf2(.sha256, salt: salt, rounds: rounds)
      case .sha256:
        var key = try password.withBytes { try digest(Array($0), .sha256) }
        defer { wipe(&key) }
        return Secret(copying: key)
      }
      return try derivation.key(from: password, count: 32)
    } catch { throw .tooExpensive }
  }
}
