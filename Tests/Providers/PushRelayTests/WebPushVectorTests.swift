import Fixtures
import JOSE
import JSON
import OpenSSL
import Testing

@testable import PushRelay

@Suite("Web Push vectors")
struct WebPushVectorTests {
  /// The base64url members of an example, decoded.
  private struct Example {
    let json: JSON

    init(_ name: String) throws { json = try #require(try Fixtures.json("rfc/webpush.json")[name]) }

    subscript(name: String) -> [UInt8] {
      get throws { try #require(json[name]?.string.flatMap { Base64URL.decode($0) }) }
    }

    var plaintext: [UInt8] { get throws { Array(try #require(json["plaintext"]?.string).utf8) } }
  }

  @Test("RFC 8291 appendix A decrypts, with each intermediate value")
  func message() throws {
    let example = try Example("message")
    let key = try PrivateKey(p256Scalar: Secret(copying: example["receiverPrivate"]))
    let keys = try WebPushKeys(privateKey: key, authSecret: Secret(copying: example["authSecret"]))
    #expect(try keys.point == example["receiverPublic"])
    let message = try EncryptedMessage(example["body"])
    #expect(try message.salt == example["salt"] && message.senderPoint == example["senderPublic"])
    let sender = try PublicKey(p256Point: message.senderPoint)
    #expect(try key.sharedSecret(with: sender).withBytes { Array($0) } == example["sharedSecret"])
    let inputKey = try keys.inputKey(with: sender)
    #expect(try inputKey.withBytes { Array($0) } == example["inputKey"])
    let content = try ContentKey(from: inputKey, salt: message.salt)
    #expect(try content.key.withBytes { Array($0) } == example["contentKey"])
    #expect(try content.nonce == example["nonce"])
    #expect(try keys.open(message) == example.plaintext)
  }

  @Test("the record of RFC 8188 section 3.1 decrypts, but is not a Web Push message")
  func content() throws {
    let example = try Example("content")
    let content = try ContentKey(from: Secret(copying: example["inputKey"]), salt: example["salt"])
    #expect(try content.key.withBytes { Array($0) } == example["contentKey"])
    #expect(try content.nonce == example["nonce"])
    // Salt, record size and an empty key id.
    let record = try example["body"].dropFirst(16 + 4 + 1)
    let opened = try content.open(ciphertext: record.dropLast(16), tag: record.suffix(16))
    #expect(try opened == example.plaintext)
    #expect(throws: WebPushFault.self) { try EncryptedMessage(example["body"]) }
  }
}
