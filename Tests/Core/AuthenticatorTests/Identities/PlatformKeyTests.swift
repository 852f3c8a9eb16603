import Authenticator
import ControlAPI
import EventLoop
import JOSE
import OpenSSL
import TestLoop
import Testing

@Suite("Keys of a platform that change", .timeLimit(.minutes(10)))
struct PlatformKeyTests {
  /// Lets the platform sign by a key that the bench does not hold yet.
  @EventLoop
  private static func sign(_ bench: Bench, with key: JWK, announced: Bool) throws {
    let identity = try #require(try bench.authenticator.identity(of: Bench.owner))
    if announced { bench.platform.newKeys = [key] }
    bench.platform.weather = { (call, moment) throws(PlatformError) in
      guard call != .keys, moment == .reply else { return }
      if !identity.platform.keys.contains(where: { $0.thumbprint == key.thumbprint }) { throw .unknownKey }
    }
  }

  @Test("a new key that a held one vouches for is taken, kept, and the question asked again")
  func followed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let key = JWK(try PrivateKey.generateP256().publicKey, keyID: "platform-2")
      try Self.sign(bench, with: key, announced: true)
      let renamed = try await bench.authenticator.renameAccount(account, to: "desk", owner: Bench.owner)
      #expect(renamed.nickname == "desk")
      #expect(bench.platform.calls.filter { $0 == .keys }.count == 1)

      try bench.crash()
      let identity = try #require(try bench.authenticator.identity(of: Bench.owner))
      #expect(identity.platform.keys.map(\.thumbprint).contains(key.thumbprint))
      #expect(identity.platform.keysVersion == 2)
    }
  }

  @Test("answers by a key that nobody vouches for are failures, and cost one question a minute")
  func foreign() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let key = JWK(try PrivateKey.generateP256().publicKey, keyID: "platform-2")
      try Self.sign(bench, with: key, announced: false)
      for _ in 0..<5 {
        await #expect(throws: PlatformError.failed) {
          try await bench.authenticator.renameAccount(account, to: "desk", owner: Bench.owner)
        }
      }
      #expect(bench.platform.calls.filter { $0 == .keys }.count == 1)
      #expect(try bench.authenticator.accounts(of: Bench.owner).first?.nickname == nil)
      bench.clock.pass(.seconds(61))
      try Self.sign(bench, with: key, announced: true)
      _ = try await bench.authenticator.renameAccount(account, to: "desk", owner: Bench.owner)
      #expect(bench.platform.calls.filter { $0 == .keys }.count == 2)
    }
  }
}
