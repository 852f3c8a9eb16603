import Fixtures
import JSON
import OATHExports
import Testing

@Suite("Hostile exports")
struct HostileExportTests {
  /// Returns an Aegis vault, by default with one slot, from arguments in JSON.
  private static func vault(
    n: String = "32768",
    r: String = "8",
    p: String = "1",
    salt: String = "\"00\"",
    key: String = "\"\(String(repeating: "00", count: 32))\"",
    nonce: String = "\"000000000000000000000000\"",
    tag: String = "\"00000000000000000000000000000000\"",
    db: String = "\"AAAA\"",
    type: String = "1",
    slots: Int = 1
  ) -> [UInt8] {
    let parameters = #"{"nonce":\#(nonce),"tag":\#(tag)}"#
    let slot =
      #"{"type":\#(type),"n":\#(n),"r":\#(r),"p":\#(p),"salt":\#(salt),"key":\#(key),"key_params":\#(parameters)}"#
    let all = [String](repeating: slot, count: slots).joined(separator: ",")
    return Array(#"{"version":1,"header":{"slots":[\#(all)],"params":\#(parameters)},"db":\#(db)}"#.utf8)
  }

  private static func error(_ data: [UInt8], as format: ExportFormat? = nil) -> ExportError? {
    do throws(ExportError) { _ = try Export(data, as: format) } catch { return error }
    return nil
  }

  private static func andOTP(rounds: UInt32, count: Int = 60) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: rounds >> (24 - 8 * $0)) } + [UInt8](repeating: 7, count: count)
  }

  @Test("an expensive key derivation is refused before it runs")
  func derivations() {
    #expect(Self.error(Self.vault()) == nil)
    for (n, r) in [("16384", "16"), ("2", "8"), ("262144", "1"), ("4096", "64")] {
      #expect(Self.error(Self.vault(n: n, r: r)) == nil, "\(n) \(r)")
    }
    for (n, r, p) in [
      ("65536", "8", "1"), ("32768", "9", "1"), ("1048576", "8", "1"), ("32768", "8", "2"),
      ("2", "131073", "1"),
      ("4611686018427387904", "8", "1"), ("4611686018427387904", "9223372036854775807", "1"),
      ("2", "1", "9223372036854775807"),
    ] {
      #expect(Self.error(Self.vault(n: n, r: r, p: p)) == .tooExpensive, "\(n) \(r) \(p)")
    }
    for (n, r, p) in [
      ("0", "8", "1"), ("1", "8", "1"), ("-32768", "8", "1"), ("32767", "8", "1"), ("32768", "0", "1"),
      ("32768", "-8", "1"), ("32768", "8", "0"), ("\"32768\"", "8", "1"), ("32768.0", "8", "1"),
      ("3e4", "8", "1"),
      ("null", "8", "1"), ("32768", "[]", "1"), ("99999999999999999999", "8", "1"),
      ("-9223372036854775808", "8", "1"),
    ] {
      #expect(Self.error(Self.vault(n: n, r: r, p: p)) == .malformed, "\(n) \(r) \(p)")
    }
    for (rounds, error) in [
      (1, nil), (140_000, nil), (1_000_000, nil), (1_000_001, .unknownFormat), (0x7FFF_FFFF, .unknownFormat),
      (0xFFFF_FFFF, .unknownFormat), (0, .unknownFormat),
    ] as [(UInt32, ExportError?)] {
      // Other numbers are the nonce of the old form, which is read only if the format is named.
      #expect(Self.error(Self.andOTP(rounds: rounds), as: .andOTP) == nil, "\(rounds)")
      #expect(Self.error(Self.andOTP(rounds: rounds)) == error, "\(rounds)")
    }
  }

  @Test("a vault with too many slots or parts of wrong length is refused")
  func slots() {
    #expect(Self.error(Self.vault(slots: 4)) == nil)
    #expect(Self.error(Self.vault(slots: 5)) == .tooExpensive)
    for type in ["0", "2", "3", "-1", "\"1\"", "null"] {
      #expect(Self.error(Self.vault(type: type)) == .unsupportedEncryption, "\(type)")
    }
    #expect(Self.error(Self.vault(slots: 0)) == .unsupportedEncryption)
    for value in [
      "\"\"", "\"0\"", "\"zz\"", "\"00\"", "7", "null", "\"\(String(repeating: "00", count: 33))\"",
    ] {
      #expect(Self.error(Self.vault(key: value)) == .malformed, "\(value)")
      #expect(Self.error(Self.vault(nonce: value)) == .malformed, "\(value)")
      #expect(Self.error(Self.vault(tag: value)) == .malformed, "\(value)")
    }
    for value in ["\"\"", "\"A\"", "\"AB==\"", "\"A A=\"", "7", "null", "[]", "{}"] {
      #expect(Self.error(Self.vault(db: value)) == .malformed, "\(value)")
    }
    for version in [#""version":2"#, #""version":"1""#, #""x":1"#] {
      #expect(Self.error(Array("{\(version),\"header\":{},\"db\":{\"entries\":[]}}".utf8)) == .malformed)
    }
    #expect(Self.error(Self.andOTP(rounds: 1, count: 24), as: .andOTP) == .malformed)
    #expect(Self.error(Self.andOTP(rounds: 1, count: 40)) == .unknownFormat)
    #expect(Self.error(Self.andOTP(rounds: 1, count: 41)) == nil)
    for text in ["", ":", "AAAA:AAAA", "A:A:A:A", "AAAA:AAAA:AAAA", "x"] {
      let backup = #"{"schemaVersion":4,"services":[],"servicesEncrypted":"\#(text)"}"#
      #expect(Self.error(Array(backup.utf8)) == .malformed, "\(text)")
    }
  }

  @Test("size, number of entries and nesting are limited")
  func limits() throws {
    let line = "otpauth://totp/A:b?secret=JBSWY3DPEHPK3PXP\n"
    let thousand = Array(String(repeating: line, count: 1000).utf8)
    #expect(Self.error(thousand) == nil)
    #expect(Self.error(thousand + Array(line.utf8)) == .tooManyEntries(maximum: 1000))
    let blank = [UInt8](repeating: UInt8(ascii: "\n"), count: 180 * 1024 - line.utf8.count)
    #expect(Self.error(blank + Array(line.utf8)) == nil)
    #expect(Self.error(blank + Array(line.utf8) + [0x0A]) == .tooLong(maximum: 180 * 1024))
    let longer = try Export(blank + Array(line.utf8) + [0x0A], maximumBytes: 4 << 20)
    #expect(longer.format == .uris)
    for depth in [32, 33, 50_000] {
      let nested = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      let text = #"{"tokenOrder":\#(nested),"tokens":[]}"#
      #expect(Self.error(Array(text.utf8)) == (depth == 32 ? nil : .malformed))
    }
    for text in [
      #"{"mechanisms":[],"mechanisms":[]}"#, #"{"mechanisms":[]"#, "[", "{\"mechanisms\":[\u{0}]}",
    ] {
      #expect(Self.error(Array(text.utf8), as: .am) == .malformed, "\(text)")
    }
  }

  @Test("truncated and mutated exports are read, skipped or refused")
  func mutations() throws {
    let uri = "otpauth://hotp/A:b?secret=JBSWY3DPEHPK3PXP&counter=7"
    let samples: [[UInt8]] = [
      Array("\(uri)\n\(uri)".utf8), Self.vault(), Self.andOTP(rounds: 3),
      Array(
        #"{"version":1,"header":{},"db":{"entries":[{"type":"totp","name":"n","info":{"secret":"AA"}}]}}"#
          .utf8
      ),
      Array(#"{"tokenOrder":[],"tokens":[{"type":"TOTP","label":"l","secret":[1,-2]}]}"#.utf8),
      Array(#"{"schemaVersion":4,"services":[{"name":"n","secret":"AA","otp":{"digits":6}}]}"#.utf8),
      Array(#"{"encrypted":false,"items":[{"name":"n","login":{"totp":"\#(uri)"}}]}"#.utf8),
      Array(#"{"mechanisms":[{"type":"otpauth","oathType":"TOTP","secret":"AA","account":{}}]}"#.utf8),
      Array(
        #"[{"issuer":"i","accountName":"a"},{"type":"pushauth","mechanismUID":"m","issuer":"i","accountName":"a"}]"#
          .utf8
      ),
      Array(#"{"id":"m","issuer":"i","accountName":"a","serverEndpoint":"x","sharedSecret":"AA"}"#.utf8),
      Array(#"[{"type":"TOTP","secret":"AA","label":"l","digits":6}]"#.utf8),
      Array(MigrationTests.sample.utf8),
    ]
    var numbers = SeededNumbers(180)
    var read = 0
    for sample in samples {
      #expect(Self.error(sample) == nil)
      for count in 0..<sample.count { _ = Self.error(Array(sample.prefix(count))) }
      for _ in 0..<500 {
        var changed = sample
        for _ in 0...Int.random(in: 0...3, using: &numbers) {
          let place = Int.random(in: 0..<changed.count, using: &numbers)
          switch Int.random(in: 0..<3, using: &numbers) {
          case 0: changed[place] = UInt8.random(in: 0...255, using: &numbers)
          case 1: changed.remove(at: place)
          default: changed.insert(contentsOf: changed[place...].prefix(9), at: place)
          }
          if changed.isEmpty { changed = sample }
        }
        for format in [nil] + ExportFormat.allCases.map(Optional.some) {
          guard let export = try? Export(changed, as: format) else { continue }
          #expect(format == nil || export.format == format)
          if case .plain(let entries) = export.contents { read += entries.count }
        }
      }
    }
    #expect(read > 1000)
  }
}
