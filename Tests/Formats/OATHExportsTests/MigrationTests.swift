import OATHExports
import Testing

@Suite("Google Authenticator transfers")
struct MigrationTests {
  private typealias Bytes = [UInt8]

  /// A transfer of one account.
  static let sample = uri(message(1, parameters()) + number(2, 1) + number(3, 1))

  private static func varint(_ value: UInt64) -> Bytes {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }

  private static func number(_ field: UInt64, _ value: Int) -> Bytes {
    varint(field << 3) + varint(UInt64(bitPattern: Int64(value)))
  }

  private static func message(_ field: UInt64, _ bytes: Bytes) -> Bytes {
    varint(field << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  private static func parameters(
    secret: Bytes? = Array("0123456789".utf8),
    name: String = "ann",
    issuer: String = "A",
    more: Bytes = number(4, 1) + number(5, 1) + number(6, 2)
  ) -> Bytes {
    (secret.map { message(1, $0) } ?? []) + message(2, Array(name.utf8)) + message(3, Array(issuer.utf8))
      + more
  }

  private static func uri(_ payload: Bytes) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: payload.count, by: 3) {
      let group = payload[start...].prefix(3)
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for digit in 0...group.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
      text += String(repeating: "=", count: 3 - group.count)
    }
    let escaped = text.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D")
    return "otpauth-migration://offline?data=\(escaped)"
  }

  private static func read(_ lines: String...) throws -> [ExportedEntry] {
    guard
      case .plain(let entries) = try Export(Array(lines.joined(separator: "\n").utf8), as: .migration)
        .contents
    else { return [] }
    return entries
  }

  private static func outcome(_ parameters: Bytes) throws -> Result<OATHRecord, OATHError> {
    try #require(try read(uri(message(1, parameters))).first).record
  }

  private static func skip(_ parameters: Bytes) throws -> ExportedEntry.Skip? {
    if case .failure(let error) = try outcome(parameters) { .init(error) } else { nil }
  }

  @Test("an account gives the same record as a key URI")
  func record() throws {
    let more = Self.number(4, 3) + Self.number(5, 2) + Self.number(6, 1) + Self.number(7, 1 << 53)
    let record = try Self.outcome(Self.parameters(name: "A:ann:smith", more: more)).get()
    let secret = Base32.encode("0123456789".utf8)
    #expect(
      record.type == .hotp && record.counter == 1 << 53 && record.period == nil && record.secret == secret
    )
    #expect(
      record.algorithm == "SHA512" && record.digits == 8 && record.issuer == "A"
        && record.label == "ann:smith"
    )
    let least = try Self.outcome(Self.parameters(more: Self.number(6, 2))).get()
    #expect(least.type == .totp && least.algorithm == "SHA1" && least.digits == 6 && least.period == 30)
  }

  @Test("an unsupported account and an invalid one are distinguished")
  func skips() throws {
    let unsupported: [Bytes] = [
      Self.number(6, 0), Self.number(6, 3), [], Self.number(6, 2) + Self.number(4, 4),
      Self.number(6, 2) + Self.number(5, 3), Self.number(6, -1),
    ]
    for more in unsupported {
      #expect(try Self.skip(Self.parameters(more: more)) == .unsupported, "\(more)")
    }
    let invalid: [Bytes] = [
      Self.number(6, 2) + Self.number(6, 2), Self.message(6, [2]), Self.number(6, 2) + Self.message(4, []),
      Self.number(6, 1) + Self.message(7, [1]), Self.number(6, 2) + Self.number(2, 7),
    ]
    for more in invalid {
      #expect(try Self.skip(Self.parameters(more: more)) == .invalid, "\(more)")
    }
    #expect(try Self.outcome(Self.parameters(secret: nil)) == .failure(.missing("secret")))
    #expect(try Self.skip([0x12, 2, 0xC3, 0x28] + Self.message(1, [1]) + Self.number(6, 2)) == .invalid)
    let nameless = try Self.outcome(Self.parameters(name: "", issuer: "")).get()
    #expect(nameless.issuer == "Untitled" && nameless.label == "Untitled")
  }

  @Test("an incomplete transfer is refused, and transfers are not mixed")
  func batches() throws {
    func part(_ index: Int, of count: Int, in transfer: Int, _ name: String) -> String {
      let entry = Self.message(1, Self.parameters(name: name))
      return Self.uri(entry + Self.number(3, count) + Self.number(4, index) + Self.number(5, transfer))
    }
    let names = try Self.read(
      part(1, of: 2, in: -7, "b"),
      part(0, of: 1, in: 9, "c"),
      part(0, of: 2, in: -7, "a")
    ).map(\.names.account)
    #expect(names == ["a", "b", "c"])
    for (lines, missing) in [
      ([part(1, of: 2, in: 1, "b")], 1), ([part(0, of: 2, in: 1, "a"), part(1, of: 2, in: 2, "b")], 2),
      ([part(0, of: 2, in: 1, "a"), part(0, of: 2, in: 1, "a")], 2),
      ([part(0, of: 2, in: 1, "a"), part(1, of: 3, in: 1, "b")], 2),
    ] {
      #expect(throws: ExportError.incomplete(part: missing, of: 2)) {
        try Self.read(lines.joined(separator: "\n"))
      }
    }
    #expect(throws: ExportError.malformed) { try Self.read(part(2, of: 2, in: 1, "a")) }
    for count in [-1, 101, Int.max, Int.min] {
      #expect(throws: ExportError.malformed, "\(count)") { try Self.read(part(0, of: count, in: 1, "a")) }
    }
  }

  @Test("several transfers, codes that were read twice and otpauth lines may share a file")
  func mixed() throws {
    func whole(_ name: String, _ more: Bytes = []) -> String {
      Self.uri(Self.message(1, Self.parameters(name: name)) + more)
    }
    func part(_ index: Int, _ name: String) -> String {
      whole(name, Self.number(3, 2) + Self.number(4, index) + Self.number(5, 0))
    }
    let single = Self.number(3, 1) + Self.number(4, 0) + Self.number(5, 0)
    let otpauth = "otpauth://totp/A:o?secret=JBSWY3DPEHPK3PXP"
    for (lines, names) in [
      ([whole("a"), whole("b")], ["a", "b"]), ([whole("a", single), whole("b", single)], ["a", "b"]),
      ([whole("a", Self.number(3, 0)), whole("a", Self.number(3, 0))], ["a"]),
      ([part(1, "b"), part(0, "a"), part(1, "b")], ["a", "b"]),
      ([part(0, "a"), part(1, "b"), part(0, "c"), part(1, "d")], ["a", "b", "c", "d"]),
      ([whole("a"), otpauth, "nonsense", otpauth, whole("b")], ["a", "o", nil, "o", "b"]),
      (["QR-Code:\(whole("a"))", " QR-Code:\(otpauth)"], ["a", "o"]),
    ] as [([String], [String?])] {
      #expect(try Self.read(lines.joined(separator: "\n")).map(\.names.account) == names)
    }
    guard case .plain(let entries) = try Export(Array("\(otpauth)\n\(whole("a"))".utf8)).contents else {
      return
    }
    #expect(
      entries.map(\.names.account) == ["o", "a"] && entries.allSatisfy { (try? $0.record.get()) != nil }
    )
  }

  @Test(
    "a malformed protobuf payload is refused",
    arguments: [
      [0x0A], [0x0A, 5, 1], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], [0x0B], [0x0C],
      [0x00, 1],
      [0x10], [0x10, 0x80], [0x10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
      [0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], [0x08, 1], [0x09, 1], [0x0D, 1],
      [0x18, 1, 0x18, 1], [0x1A, 1, 1], [0x0A, 2, 0x0A, 5],
    ] as [[UInt8]]
  )
  func broken(payload: [UInt8]) {
    #expect(throws: ExportError.malformed) { try Self.read(Self.uri(payload)) }
  }

  @Test("unknown protobuf fields are ignored")
  func unknownFields() throws {
    let unknown =
      Self.number(99, 1) + [0x79, 1, 2, 3, 4, 5, 6, 7, 8] + [0x7D, 1, 2, 3, 4] + Self.message(20, [1])
    #expect(try Self.read(Self.uri(Self.message(1, Self.parameters() + unknown) + unknown)).count == 1)
    #expect(try Self.read(Self.uri([])).isEmpty)
  }

  @Test(
    "a malformed migration URI is refused",
    arguments: [
      "otpauth-migration://offline", "otpauth-migration://offline?", "otpauth-migration://offline?data=%ZZ",
      "otpauth-migration://offline?data=A", "otpauth-migration://online?data=",
      "otpauth://totp/A:b?secret=AA",
      "otpauth-migration://offline?x=1&data=", "data=", "\(sample)&x=1",
    ]
  )
  func uris(text: String) {
    #expect(throws: ExportError.malformed) { try Self.read(text) }
  }
}
