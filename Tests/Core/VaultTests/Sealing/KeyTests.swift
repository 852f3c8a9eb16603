import OpenSSL
import TestNetwork
import Testing

@testable import Vault

@Suite("Key-encryption key")
struct KeyTests {
  private let material = Secret(copying: Array(UInt8(0)..<32))

  @Test("a recovery key is parsed with any grouping, and a wrong one is refused")
  func recoveryKeys() throws {
    let key = try RecoveryKey()
    let bytes = try key.wrappingKey.withBytes { Array($0) }
    #expect(key.text.split(separator: "-").map(\.count) == Array(repeating: 4, count: 8))
    for text in [key.text, key.text.lowercased(), key.text.filter { $0 != "-" }, " \(key.text)\n"] {
      #expect(try RecoveryKey(text)?.wrappingKey.withBytes { Array($0) } == bytes)
    }
    for text in ["", String(key.text.dropLast()), key.text + "A", "1" + key.text.dropFirst()] {
      #expect(RecoveryKey(text) == nil)
    }
    #expect(try RecoveryKey().text != key.text)
  }

  @Test("a written key file is private and replaces an earlier one")
  func keyFile() throws {
    let directory = try TestDirectory()
    let file = directory.path + "/key"
    for byte in [UInt8(1), 2] {
      try KeyFile.write(Secret(copying: Array(repeating: byte, count: 32)), to: file)
      #expect(
        try KeyFile.read(file, mayBeShared: false).withBytes { Array($0) }
          == Array(repeating: byte, count: 32)
      )
    }
    #expect(throws: KeyError.self) { try KeyFile.read(directory.path + "/none", mayBeShared: false) }
  }

  @Test("key material shorter than 32 bytes is refused")
  func short() {
    #expect(throws: KeyError.self) {
      try KeyEncryptionKey(Secret(copying: Array(repeating: 1, count: 31)), .keyFile)
    }
  }

  @Test("the old key finds its successor, and an unrelated key does not")
  func successor() throws {
    let old = try KeyEncryptionKey(Secret.random(count: 32), .keyFile)
    let new = try KeyEncryptionKey(material, .keyFile)
    let other = try KeyEncryptionKey(Secret.random(count: 32), .keyFile)
    let proof = try DataKey.seal([], with: new.key, as: .proof)
    let successor = try DataKey(old.key).seal(material, as: .successor)
    let found = try #require(try old.fitting(proof, successor: successor))
    #expect(found.opens(proof))
    #expect(try new.fitting(proof, successor: successor)?.opens(proof) == true)
    #expect(try old.fitting(proof, successor: nil) == nil)
    #expect(try other.fitting(proof, successor: successor) == nil)
    // Any key fits if nothing is sealed.
    #expect(try other.fitting(nil, successor: nil) != nil)
  }
}
