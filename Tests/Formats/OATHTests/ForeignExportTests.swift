import JSON
import OATH
import OATHExports
import OpenSSL
import Testing

@Suite("Exports of other authenticators")
struct ForeignExportTests {
  private static func entries(_ export: Export, _ password: String? = nil) throws -> [ExportedEntry] {
    switch (export.contents, password) {
    case (.plain(let entries), nil): entries
    case (.encrypted(let export), let password?): try export.open(with: Secret(copying: password.utf8))
    case (.plain, _?), (.encrypted, nil): throw ExportError.unsupportedEncryption
    }
  }

  private static func encrypted(_ data: [UInt8]) throws -> EncryptedExport {
    guard case .encrypted(let export) = try Export(data).contents else { throw ExportError.malformed }
    return export
  }

  private static func error(_ export: EncryptedExport, _ password: String) -> ExportError? {
    do throws(ExportError) { _ = try export.open(with: Secret(copying: password.utf8)) } catch {
      return error
    }
    return nil
  }

  private static func check(_ entries: [ExportedEntry], _ accounts: [JSON]) throws {
    #expect(entries.count == accounts.count && !accounts.isEmpty)
    for (entry, account) in zip(entries, accounts) {
      let credential = try OATHCredential(entry.record.get())
      let kind: OATHCredential.Kind =
        account["type"] == "totp"
        ? .totp(period: try #require(account["period"]?.int))
        : .hotp(counter: try #require(account["counter"]?.int))
      #expect(credential.kind == kind && credential.digits == account["digits"]?.int, "\(account.text)")
      #expect("\(credential.algorithm)".uppercased() == account["algorithm"]?.string, "\(account.text)")
      #expect(credential.issuer == account["issuer"]?.string && credential.label == account["label"]?.string)
      let secret = credential.secret.withBytes { Base32.encode($0) }
      #expect(secret == account["secret"]?.string, "\(account.text)")
    }
    #expect(entries.map(\.index) == Array(accounts.indices))
  }

  @Test(
    "each format is detected and gives the same accounts",
    arguments: [
      ("uris", ExportFormat.uris), ("aegis", .aegis), ("aegis encrypted", .aegis), ("andotp", .andOTP),
      ("andotp encrypted", .andOTP), ("bitwarden", .bitwarden), ("bitwarden table", .bitwarden),
      ("freeotp", .freeOTP), ("2fas", .twoFAS),
      ("2fas encrypted", .twoFAS),
    ]
  )
  func whole(name: String, format: ExportFormat) throws {
    let made = try ForeignExports.made.get()
    let data = try made.data(name)
    let password = name.hasSuffix(" encrypted") ? made.password : nil
    for export in [try Export(data), try Export(data, as: format)] {
      #expect(export.format == format)
      try Self.check(Self.entries(export, password), made.accounts)
    }
    for other in ExportFormat.allCases where other != format {
      // Reading as another format fails or gives no usable credential.
      guard let export = try? Export(data, as: other), case .plain(let entries) = export.contents else {
        continue
      }
      #expect(!entries.contains { (try? OATHCredential($0.record.get())) != nil }, "\(other)")
    }
  }

  @Test("a transfer of several parts is read in any order")
  func migration() throws {
    let made = try ForeignExports.made.get()
    let data = try made.data("migration")
    let held = made.heldByMigration.map { made.accounts[$0] }
    try Self.check(Self.entries(Export(data)), held)
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    #expect(lines.count > 1)
    let reversed = Array(lines.reversed().joined(separator: "\r\n\n").utf8)
    try Self.check(Self.entries(Export(reversed)), held)
    for missing in lines.indices {
      var part = lines
      part.remove(at: missing)
      #expect(throws: ExportError.incomplete(part: missing + 1, of: lines.count)) {
        try Export(Array(part.joined(separator: "\n").utf8))
      }
    }
    let twice = Array((lines + [lines[0]]).joined(separator: "\n").utf8)
    try Self.check(Self.entries(Export(twice)), held)
  }

  @Test("an old andOTP backup is decrypted if its format is named")
  func oldForm() throws {
    let made = try ForeignExports.made.get()
    let data = try made.data("andotp of old versions")
    #expect(throws: ExportError.unknownFormat) { try Export(data) }
    try Self.check(Self.entries(Export(data, as: .andOTP), made.password), made.accounts)
    #expect(throws: ExportError.wrongPasswordOrDamaged) {
      try Self.entries(Export(data, as: .andOTP), "wrong")
    }
  }

  @Test("the URI of a record gives the same credential")
  func uris() throws {
    let made = try ForeignExports.made.get()
    let entries = try Self.entries(Export(made.data("aegis")))
    let uris = try entries.map { try $0.record.get().uri }.joined(separator: "\n")
    try Self.check(Self.entries(Export(Array(uris.utf8))), made.accounts)
  }

  @Test("a wrong password is distinguished from damage if the format allows it")
  func passwords() throws {
    let made = try ForeignExports.made.get()
    for password in ["", "correct horse", made.password + " "] {
      #expect(Self.error(try Self.encrypted(made.data("aegis encrypted")), password) == .wrongPassword)
      #expect(Self.error(try Self.encrypted(made.data("2fas encrypted")), password) == .wrongPassword)
      #expect(
        Self.error(try Self.encrypted(made.data("andotp encrypted")), password) == .wrongPasswordOrDamaged
      )
    }
    // The password of any slot opens the vault.
    #expect(Self.error(try Self.encrypted(made.data("aegis encrypted")), "another") == nil)
    #expect(Self.error(try Self.encrypted(made.data("aegis of nonsense")), made.password) == .damaged)
  }

  @Test("damage is reported if the format proves that the password is right")
  func damage() throws {
    let made = try ForeignExports.made.get()
    for (name, member) in [("aegis encrypted", "db"), ("2fas encrypted", "servicesEncrypted")] {
      var document = try #require(try JSON(parsing: made.data(name)).object)
      let text = try #require(document[member]?.string)
      document[member] = .string((text.hasPrefix("A") ? "B" : "A") + text.dropFirst())
      let export = try Self.encrypted(Array(JSON.object(document).text.utf8))
      #expect(Self.error(export, made.password) == .damaged, "\(name)")
    }
    var bytes = try made.data("andotp encrypted")
    bytes[bytes.count / 2] ^= 1
    #expect(Self.error(try Self.encrypted(bytes), made.password) == .wrongPasswordOrDamaged)
  }

  @Test("2FAS backup without reference gives wrongPasswordOrDamaged")
  func witness() throws {
    let made = try ForeignExports.made.get()
    var document = try #require(try JSON(parsing: made.data("2fas encrypted")).object)
    for reference in [nil, "", "AAAA:AAAA:AAAA", .null] as [JSON?] {
      document["reference"] = reference
      let export = try Self.encrypted(Array(JSON.object(document).text.utf8))
      #expect(Self.error(export, "wrong") == .wrongPasswordOrDamaged)
      #expect(Self.error(export, made.password) == nil)
    }
  }
}
