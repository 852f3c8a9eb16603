internal import JSON

extension ExportDecoder {
  /// 2FAS' backup; its services are plain, or encrypted with a password.
  static let twoFAS = ExportDecoder(
    format: .twoFAS,
    recognizes: { data in data.json?["schemaVersion"]?.int != nil && data.json?["services"]?.array != nil },
    decode: { data throws(ExportError) in
      guard let backup = data.json else { throw .malformed }
      guard let sealed = backup["servicesEncrypted"], !sealed.isNull else {
        return try entries(ofTwoFAS: backup["services"] ?? .null)
      }
      guard let services = sealed.string.flatMap(SaltedBox.init) else { throw .malformed }
      let reference = backup["reference"]?.string.flatMap(SaltedBox.init)
      return .encrypted(
        EncryptedExport(
          format: .twoFAS,
          lock: .password(
            .pbkdf2(.sha256, salt: services.salt, rounds: rounds),
            witness: reference?.salt == services.salt ? reference?.box : nil
          ),
          contents: services.box,
          decode: { json throws(ExportError) in try entries(ofTwoFAS: json) }
        )
      )
    }
  )

  private static let rounds = 10_000

  private static func entries(ofTwoFAS services: JSON) throws(ExportError) -> Export.Contents {
    guard let services = services.array else { throw .malformed }
    return try .entries(of: services) { index, service in
      let otp = service["otp"]
      let issuer = otp?["issuer"]?.string.flatMap { $0.isEmpty ? nil : $0 }
      let account = otp?["account"]?.string.flatMap { $0.isEmpty ? nil : $0 }
      let draft = EntryDraft(
        // Older versions support only time-based passcodes and do not write the type.
        type: otp?["tokenType"] ?? "TOTP",
        secret: service["secret"],
        algorithm: otp?["algorithm"],
        digits: otp?["digits"],
        period: otp?["period"],
        counter: otp?["counter"],
        issuer: issuer.map { .string($0) } ?? service["name"],
        label: account.map { .string($0) } ?? otp?["label"]
      )
      return ExportedEntry(index, draft)
    }
  }
}

/// Base64 of ciphertext and tag, salt, and nonce, separated by colons.
private struct SaltedBox {
  let salt: [UInt8]
  let box: SealedBox

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Base64.decode($0) }
    guard parts.count == 3, let sealed = parts[0], let salt = parts[1], let nonce = parts[2],
      let box = SealedBox(nonce: nonce, sealed: sealed[...])
    else { return nil }
    (self.salt, self.box) = (salt, box)
  }
}
