import AMEnrolments
import OATHExports
import Testing

@Suite("Hostile enrolment URIs")
struct HostileEnrolmentTests {
  private static func error(_ uri: String) -> OATHError? {
    do throws(OATHError) { _ = try AMEnrolment(uri: uri) } catch { return error }
    return nil
  }

  private static func encoded(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

  @Test("an error names the key of a missing or malformed parameter, not its value")
  func keys() {
    for key in ["s", "c", "m", "r", "a"] {
      #expect(Self.error(Sample.uri(without: [key])) == .missing(key))
      #expect(Self.error(Sample.uri([key: ""])) == .missing(key))
    }
    for key in ["s", "c", "r", "a", "l", "uid", "policies"] {
      for value in ["!", "AAAA%0AAAAA", "AAA*", "A", "AA=", "AA===", "AB", "_w+/%20"] {
        #expect(Self.error(Sample.uri([key: value])) == .invalid(key), "\(key) \(value)")
      }
    }
    #expect(Self.error(Sample.uri(["uid": "_w"])) == .invalid("uid"))
    #expect(Self.error(Sample.uri() + "&s=AAAA") == .repeated("s"))
    #expect(Self.error(Sample.uri(["version": "2"])) == .unsupported("version", allowed: "1"))
    #expect(Self.error(Sample.uri(["version": "1"])) == nil)
  }

  @Test("a secret has at least 32 and at most 128 bytes")
  func secrets() {
    for (count, isTaken) in [(31, false), (32, true), (128, true), (129, false)] {
      let secret = Base64.encode([UInt8](repeating: 7, count: count))
      let error = OATHError.unsupported("s", allowed: "32 to 128 bytes long")
      #expect(Self.error(Sample.uri(["s": secret])) == (isTaken ? nil : error))
    }
  }

  @Test(
    "endpoint URLs must be the two actions at one origin",
    arguments: [
      ("r", "ftp://am.example/?_action=register", OATHError.invalid("r")),
      ("r", "/am?_action=register", .invalid("r")),
      ("r", "https://u@am.example/?_action=register", .invalid("r")),
      ("r", "https://am.example/am", .invalid("r")),
      ("r", "https://am.example/?_action=refresh", .invalid("r")),
      ("r", "https://am.example/?_action=register&_action=register", .invalid("r")),
      ("r", "https://am.example/?_action=register#x", .invalid("r")),
      ("a", "https://am.example/?_action=register", .invalid("a")),
      (
        "a", "https://other.example/?_action=authenticate",
        .unsupported("a", allowed: "of the same origin as r")
      ),
      ("a", "http://am.example/?_action=authenticate", .unsupported("a", allowed: "of the same origin as r")),
      (
        "a", "https://am.example:444/?_action=authenticate",
        .unsupported("a", allowed: "of the same origin as r")
      ),
    ]
  )
  func addresses(key: String, address: String, error: OATHError) {
    #expect(Self.error(Sample.uri([key: Self.encoded(address)])) == error)
  }

  @Test(
    "a malformed registration id is refused",
    arguments: [
      "REGISTER:", ":x", "a:b:c", "REGISTER:x%20y", "REGISTER:x%26y", "x=y", "REGISTER:é".percentEncoded,
    ]
  )
  func ids(text: String) {
    #expect(Self.error(Sample.uri(["m": text])) == .invalid("m"))
    #expect(Self.error(Sample.uri(["m": String(repeating: "a", count: 257)])) == .invalid("m"))
  }

  @Test(
    "a cookie that is malformed or contains a line break is refused",
    arguments: ["a=b\r\nX: y", "a=b\u{0}", "a=é", "=b", "a", "", " "]
  )
  func cookies(text: String) {
    #expect(AMCookie(text) == nil)
    #expect(Self.error(Sample.uri(["l": Self.encoded(text)])) == (text.isEmpty ? nil : .invalid("l")))
  }

  @Test("the type must match the scheme, and a combined URI needs both halves")
  func types() {
    #expect(Self.error(Sample.uri(scheme: "pushauth://totp")) == .unsupported("the type", allowed: "push"))
    #expect(Self.error(Sample.uri(scheme: "mfauth://totp")) == .missing("secret"))
    #expect(Self.error(Sample.uri(["secret": "JBSWY3DPEHPK3PXP"], scheme: "mfauth://totp")) == nil)
    #expect(
      Self.error(Sample.uri(["secret": "JBSWY3DPEHPK3PXP"], scheme: "mfauth://push")) == .unsupportedType
    )
    #expect(Self.error("otpauth://totp/A:b?secret=JBSWY3DPEHPK3PXP") == .notAKeyURI)
    #expect(Self.error(Sample.uri(["image": String(repeating: "a", count: 8192)])) == .tooLong(maximum: 8192))
  }

  @Test("an error does not repeat the refused value")
  func silence() throws {
    let error = try #require(Self.error(Sample.uri(["c": "U0VDUkVU!"])))
    #expect(!"\(error) \(error.description)".contains("U0VDUkVU"))
  }
}

extension String {
  fileprivate var percentEncoded: String {
    utf8.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : "%" + String($0, radix: 16, uppercase: true) }
      .joined()
  }
}
