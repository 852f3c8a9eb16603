import ControlAPI
import EventLoop
import JOSE
import JSON
import OpenSSL
import TestLoop
import Testing

@testable import PingOne

@Suite("platform responses")
struct DeviceAnswerTests {
  private static let platform = Result { try PrivateKey.generateP256() }
  private static let answerKey = Result { try PrivateKey.generateP256() }
  private static let stranger = Result { try PrivateKey.generateP256() }

  /// The parts of a response.
  private struct Answer {
    var claims: JSONObject = [
      "rid": "r-1", "aud": "device", "status": 200, "iat": 1_800_000_000, "body": ["a": 1],
    ]
    var signer: PrivateKey
    var recipient: PrivateKey
    var signedType: String? = "device-answer+jwt"
    var encryptedType: String? = "device-answer+jwe"
    var keyID: String?
    var plaintext: [UInt8]?

    func bytes() throws -> [UInt8] {
      let token = Array(try signer.sign(claims, type: signedType, keyID: keyID).utf8)
      return Array(
        try CompactJWE.encrypt(
          plaintext ?? token,
          to: JWK(recipient.publicKey),
          type: encryptedType,
          keyID: nil
        ).utf8
      )
    }
  }

  private static func answer(_ change: (inout Answer) throws -> Void = { _ in }) throws -> [UInt8] {
    var answer = Answer(signer: try platform.get(), recipient: try answerKey.get())
    try change(&answer)
    return try answer.bytes()
  }

  private static func open(_ bytes: [UInt8]) throws -> DeviceResponse {
    let key = try platform.get()
    return try DeviceResponse(
      opening: bytes,
      with: answerKey.get(),
      platformKeys: [JWK(key.publicKey, keyID: key.thumbprint)],
      request: "r-1",
      device: "device"
    )
  }

  @Test("a response to this request, for this device and by this platform is opened")
  func opened() throws {
    let answer = try Self.open(try Self.answer())
    #expect(answer.status == 200 && answer.body == ["a": 1] && answer.issuedAt == 1_800_000_000)
    let empty = try Self.open(
      try Self.answer {
        $0.claims["body"] = nil
        $0.claims["status"] = 599
      }
    )
    #expect(empty.status == 599 && empty.body == [:])
  }

  @Test("a response with one defect is rejected")
  func refused() throws {
    let changes: [(name: String, change: (inout Answer) throws -> Void)] = [
      ("another request", { $0.claims["rid"] = "r-2" }), ("no request", { $0.claims["rid"] = nil }),
      ("another device", { $0.claims["aud"] = "other" }), ("no device", { $0.claims["aud"] = nil }),
      ("several devices", { $0.claims["aud"] = ["device"] }), ("no status", { $0.claims["status"] = nil }),
      ("a status of text", { $0.claims["status"] = "200" }), ("a small status", { $0.claims["status"] = 99 }),
      ("a large status", { $0.claims["status"] = 600 }), ("no instant", { $0.claims["iat"] = nil }),
      ("an instant before all", { $0.claims["iat"] = .int(.min) }),
      ("an instant after all", { $0.claims["iat"] = .int(.max) }),
      (
        "another signer under the platform's name",
        {
          $0.signer = try Self.stranger.get()
          $0.keyID = try Self.platform.get().thumbprint
        }
      ),
      ("another recipient", { $0.recipient = try Self.stranger.get() }),
      ("another type within", { $0.signedType = "push+jwt" }), ("no type within", { $0.signedType = nil }),
      ("another type", { $0.encryptedType = "device-request+jwe" }), ("no type", { $0.encryptedType = nil }),
      ("a platform's push", { $0.signedType = "platform-keys+jwt" }),
    ]
    for (name, change) in changes {
      let bytes = try Self.answer(change)
      #expect(throws: PlatformError.failed(.notPlatform), "\(name)") { try Self.open(bytes) }
    }
    for plaintext in [Array(#"{"rid":"r-1","aud":"device","status":200,"iat":1}"#.utf8), [0xFF, 0xFE], []] {
      let bytes = try Self.answer { $0.plaintext = plaintext }
      #expect(throws: PlatformError.failed(.malformed), "\(plaintext)") { try Self.open(bytes) }
    }
  }

  @Test("a response by an unknown key has its own error, because the platform may have a new key")
  func unknownKey() throws {
    let bytes = try Self.answer { $0.signer = try Self.stranger.get() }
    #expect(throws: PlatformError.unknownKey) { try Self.open(bytes) }
  }

  @Test("an unencrypted or damaged response is rejected")
  func damaged() throws {
    let good = try Self.answer()
    let plain = Array(
      try Self.platform.get().sign(
        ["rid": "r-1", "aud": "device", "status": 200, "iat": 1],
        type: "device-answer+jwt"
      ).utf8
    )
    for bytes in [[], [0xFF], plain, Array("{}".utf8), Array(good.dropLast()), good + [0x2E]] {
      #expect(throws: PlatformError.failed(.malformed)) { try Self.open(bytes) }
    }
    for index in stride(from: 0, to: good.count, by: 7) {
      var changed = good
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect("\(index)") { try Self.open(changed) } throws: { error in
        error as? PlatformError == .failed(.malformed) || error as? PlatformError == .failed(.notPlatform)
      }
    }
  }
}
