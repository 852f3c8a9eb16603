import OpenSSL
import Testing

@testable import Vault

@Suite("Sealed values")
struct SealingTests {
  private let label = SealLabel("account.secret", row: "a1", owner: 1000)
  private let text = Array("a shared secret".utf8)

  @Test("a sealed value opens only with its label and key")
  func binding() throws {
    let key = try DataKey.random()
    let sealed = try key.seal(text, as: label)
    #expect(try key.open(sealed, as: label) == text)
    #expect(try key.openSecret(sealed, as: label).withBytes { Array($0) } == text)
    let others = [
      SealLabel("pairing.secret", row: "a1", owner: 1000),
      SealLabel("account.secret", row: "a2", owner: 1000),
      SealLabel("account.secret", row: "a1", owner: 1001),
      SealLabel("account.user", row: "a1", owner: 1000),
      SealLabel("account.secret", row: "a", owner: 1000),
      SealLabel("account.secret", row: "a1/1000", owner: 1000),
    ]
    for other in others { #expect(throws: (any Error).self, "\(other)") { try key.open(sealed, as: other) } }
    let another = try DataKey.random()
    #expect(throws: (any Error).self) { try another.open(sealed, as: label) }
  }

  @Test("a sealed value with a flipped bit or cut off does not open")
  func damage() throws {
    let key = try DataKey.random()
    let sealed = try key.seal(text, as: label)
    for bit in 0..<(sealed.count * 8) {
      var damaged = sealed
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: (any Error).self, "\(bit)") { try key.open(damaged, as: label) }
    }
    for count in 0..<sealed.count {
      #expect(throws: (any Error).self, "\(count)") { try key.open(Array(sealed.prefix(count)), as: label) }
    }
  }

  @Test("sealing the same value uses a new nonce each time")
  func nonces() throws {
    let key = try DataKey.random()
    let sealed = try (0..<100).map { _ in try key.seal(text, as: label) }
    #expect(Set(sealed.map { Array($0.prefix(AESGCM.nonceByteCount)) }).count == 100)
  }

  @Test("a wrapped data key opens only with its label and wrapping key")
  func wrapping() throws {
    let (key, wrapping) = (try DataKey.random(), try DataKey.random())
    let keyLabel = SealLabel("account.data_key", row: "a1", owner: 1000)
    let wrapped = try key.wrapped(by: wrapping, as: keyLabel)
    let sealed = try key.seal(text, as: label)
    let again = try DataKey(unwrapping: wrapped, with: wrapping, as: keyLabel)
    #expect(try again.open(sealed, as: label) == text)
    #expect(throws: (any Error).self) { try DataKey(unwrapping: wrapped, with: wrapping, as: label) }
    let other = try DataKey.random()
    #expect(throws: (any Error).self) { try DataKey(unwrapping: wrapped, with: other, as: keyLabel) }
  }
}
