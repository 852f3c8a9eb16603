import AMEnrolments
import JSON
import OATHExports
import OpenSSL
import Testing
import WebAddress

@Suite("Imported push accounts")
struct PushCredentialTests {
  private static let endpoint = "https://am.example/am/json/alpha/push/sns/message"
  /// 32 bytes, some of which the two Base64 alphabets encode differently.
  private static let secret = "+/8CAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

  private static func credential(_ changes: JSONObject = [:]) throws -> AMPushCredential {
    var record: JSONObject = [
      "id": "5E0C4C0E-2B7B-4D7E-9B0C-3C1E5B3B7A11", "issuer": "Acme", "accountName": "bob", "userId": "b0b",
      "serverEndpoint": .string(endpoint), "sharedSecret": .string(secret), "isLocked": false,
    ]
    for member in changes.members { record[member.name] = member.value }
    guard case .plain(let entries) = try Export(JSON.object(record).serialized, as: .am).contents,
      case .push(let push)? = try entries.first?.credential.get()
    else { throw OATHError.notAKeyURI }
    return try AMPushCredential(push)
  }

  private static func error(_ changes: JSONObject) -> OATHError? {
    do { _ = try credential(changes) } catch { return error as? OATHError }
    return nil
  }

  @Test("a secret is in Base64, in either alphabet, and long enough to sign")
  func secrets() throws {
    let bytes: [UInt8] = [0xFB, 0xFF] + Array(2...31)
    for text in [Self.secret, "-_8CAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"] {
      #expect(try Self.credential(["sharedSecret": .string(text)]).secret.withBytes { Array($0) } == bytes)
    }
    for (text, error) in [
      // Valid Base32, but this member is Base64.
      ("JMEZ2W7D462P3JYBDG2HV7PFBM", .invalid("secret")), ("A!", .invalid("secret")),
      ("", .unsupported("secret", allowed: "32 to 128 bytes long")),
      (String(repeating: "AAAA", count: 10), .unsupported("secret", allowed: "32 to 128 bytes long")),
      (String(repeating: "AAAA", count: 43), .unsupported("secret", allowed: "32 to 128 bytes long")),
    ] as [(String, OATHError)] { #expect(Self.error(["sharedSecret": .string(text)]) == error, "\(text)") }
  }

  @Test("endpoint URLs are derived from the stored URL with any or no action")
  func endpoints() throws {
    for (stored, base) in [
      ("", "?"), ("?", "?"), ("?_action=authenticate", "?"), ("?_action=register", "?"),
      ("?realm=/alpha&_action=authenticate", "?realm=/alpha&"),
    ] {
      let credential = try Self.credential(["serverEndpoint": .string(Self.endpoint + stored)])
      #expect(credential.authenticate.text == "\(Self.endpoint)\(base)_action=authenticate", "\(stored)")
      #expect(credential.refresh.text == "\(Self.endpoint)\(base)_action=refresh", "\(stored)")
    }
    for text in [
      "", "am.example/x", "ftp://am.example/x", "https://a@am.example/x", "https://am.example/x#a",
      "https://am.example/x?_action=a&_action=b", "https://am.example/x?_action",
    ] { #expect(Self.error(["serverEndpoint": .string(text)]) == .invalid("endpoint"), "\(text)") }
  }

  @Test("ids, users and policies have limits, and malformed policies require nothing")
  func limits() throws {
    for id in ["", "a b", "../a", String(repeating: "a", count: 65)] {
      #expect(Self.error(["id": .string(id)]) == .invalid("mechanism"), "\(id)")
    }
    #expect(Self.error(["userId": .string(String(repeating: "u", count: 513))]) == .invalid("user"))
    #expect(try Self.credential(["userId": ""]).user == nil)
    let long = #"{"a":""# + String(repeating: "x", count: 4096) + #""}"#
    #expect(Self.error(["policies": .string(long)]) == .invalid("policies"))
    let facts = AMHostFacts(hasBiometrics: false, tampering: 0)
    for (text, unmet) in [
      (#"{"biometricAvailable": {}}"#, .biometricAvailable), ("nonsense", nil), ("", nil),
    ] as [(String, AMPolicy?)] {
      #expect(try Self.credential(["policies": .string(text)]).policies.firstUnmet(by: facts) == unmet)
    }
  }
}
