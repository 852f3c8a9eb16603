import OpenSSL
import Testing

@testable import Authenticator

@Suite("Sealed values")
struct SealingTests {
  private let place = Place(table: "account", row: "a1", owner: 1000, column: "secret")
  private let text = Array("a shared secret".utf8)

  @Test("what was sealed for a place opens there and nowhere else")
  func binding() throws {
    let key = try DataKey.random()
    let sealed = try key.seal(text, at: place)
    #expect(try key.open(sealed, at: place) == text)
    #expect(try key.openSecret(sealed, at: place).withBytes { Array($0) } == text)
    let others = [
      Place(table: "pairing", row: "a1", owner: 1000, column: "secret"),
      Place(table: "account", row: "a2", owner: 1000, column: "secret"),
      Place(table: "account", row: "a1", owner: 1001, column: "secret"),
      Place(table: "account", row: "a1", owner: 1000, column: "user"),
      Place(table: "account", row: "a", owner: 1000, column: "secret"),
      Place(table: "account", row: "a1/1000", owner: 1000, column: "secret"),
    ]
    for other in others { #expect(throws: (any Error).self, "\(other)") { try key.open(sealed, at: other) } }
    let another = try DataKey.random()
    #expect(throws: (any Error).self) { try another.open(sealed, at: place) }
  }

  @Test("a value in which one bit differs does not open, nor does a part of one")
  func damage() throws {
    let key = try DataKey.random()
    let sealed = try key.seal(text, at: place)
    for bit in 0..<(sealed.count * 8) {
      var damaged = sealed
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: (any Error).self, "\(bit)") { try key.open(damaged, at: place) }
    }
    for count in 0..<sealed.count {
      #expect(throws: (any Error).self, "\(count)") { try key.open(Array(sealed.prefix(count)), at: place) }
    }
  }

  @Test("sealing the same twice gives different bytes")
  func nonces() throws {
    let key = try DataKey.random()
    let sealed = try (0..<100).map { _ in try key.seal(text, at: place) }
    #expect(Set(sealed.map { Array($0.prefix(AESGCM.nonceByteCount)) }).count == 100)
  }

  @Test("a data key is wrapped for its place too")
  func wrapping() throws {
    let (key, wrapping) = (try DataKey.random(), try Secret.random(count: 32))
    let keyPlace = Place(table: "account", row: "a1", owner: 1000, column: "data_key")
    let wrapped = try key.wrapped(by: wrapping, at: keyPlace)
    let sealed = try key.seal(text, at: place)
    let again = try DataKey(unwrapping: wrapped, with: wrapping, at: keyPlace)
    #expect(try again.open(sealed, at: place) == text)
    #expect(throws: (any Error).self) { try DataKey(unwrapping: wrapped, with: wrapping, at: place) }
    let other = try Secret.random(count: 32)
    #expect(throws: (any Error).self) { try DataKey(unwrapping: wrapped, with: other, at: keyPlace) }
  }
}
