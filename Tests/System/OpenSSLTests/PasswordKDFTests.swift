import Fixtures
import JSON
import OpenSSL
import Testing

@Suite("Keys from passwords")
struct PasswordKDFTests {
  private static let hashes: [String: HashAlgorithm] = ["SHA1": .sha1, "SHA256": .sha256, "SHA512": .sha512]

  private static func key(_ derivation: PasswordKDF, _ password: [UInt8], _ count: Int) throws -> [UInt8] {
    try derivation.key(from: Secret(copying: password), count: count).withBytes { Array($0) }
  }

  private static func vectors(_ name: String) throws -> [JSON] {
    try #require(try Fixtures.json("rfc/derivation.json")[name]?.array)
  }

  @Test("scrypt matches RFC 7914 section 12")
  func scrypt() throws {
    let vectors = try Self.vectors("scrypt")
    #expect(vectors.count == 3)
    for vector in vectors {
      let derivation = PasswordKDF.scrypt(
        salt: Array(try #require(vector["salt"]?.string).utf8),
        cost: try #require(vector["cost"]?.int),
        blockSize: try #require(vector["blockSize"]?.int),
        parallelism: try #require(vector["parallelism"]?.int)
      )
      let password = Array(try #require(vector["password"]?.string).utf8)
      let key = try hexadecimal(try #require(vector["key"]?.string))
      #expect(try Self.key(derivation, password, key.count) == key, "\(vector.text)")
    }
  }

  @Test("PBKDF2 matches RFC 6070 and RFC 7914 section 11")
  func pbkdf2() throws {
    let vectors = try Self.vectors("pbkdf2")
    #expect(vectors.count == 7)
    for vector in vectors {
      let derivation = PasswordKDF.pbkdf2(
        try #require(Self.hashes[vector["hash"]?.string ?? ""]),
        salt: Array(try #require(vector["salt"]?.string).utf8),
        rounds: try #require(vector["rounds"]?.int)
      )
      let password = Array(try #require(vector["password"]?.string).utf8)
      let key = try hexadecimal(try #require(vector["key"]?.string))
      #expect(try Self.key(derivation, password, key.count) == key, "\(vector.text)")
    }
  }

  @Test("PBKDF2 with two rounds matches RFC 8018 section 5.2", arguments: HashAlgorithm.allCases)
  func definition(hash: HashAlgorithm) throws {
    let (password, salt) = (Array("correct horse".utf8), Array("battery staple".utf8))
    let hmac = HMACContext(hash, key: Secret(copying: password))
    let first = try hmac.code(for: salt + [0, 0, 0, 1])
    let second = try hmac.code(for: first)
    let key = try Self.key(.pbkdf2(hash, salt: salt, rounds: 2), password, hash.byteCount)
    #expect(key == zip(first, second).map { $0 ^ $1 })
  }

  @Test("scrypt may use 32 MiB but not 64 MiB")
  func memory() throws {
    _ = try Self.key(.scrypt(salt: [1], cost: 32768, blockSize: 8, parallelism: 1), [2], 32)
    for (cost, blockSize) in [(65536, 8), (32768, 16), (1 << 40, 8), (1 << 62, 1 << 30)] {
      let bomb = PasswordKDF.scrypt(salt: [1], cost: cost, blockSize: blockSize, parallelism: 1)
      #expect(throws: OpenSSLError.self) { try Self.key(bomb, [2], 32) }
    }
  }

  @Test(
    "out-of-range parameters are refused",
    arguments: [
      PasswordKDF.scrypt(salt: [], cost: 3, blockSize: 8, parallelism: 1),
      .scrypt(salt: [], cost: 0, blockSize: 8, parallelism: 1),
      .scrypt(salt: [], cost: -16, blockSize: 8, parallelism: 1),
      .scrypt(salt: [], cost: 16, blockSize: 0, parallelism: 1),
      .scrypt(salt: [], cost: 16, blockSize: 8, parallelism: 0),
      .pbkdf2(.sha256, salt: [], rounds: 0), .pbkdf2(.sha256, salt: [], rounds: -1),
      .pbkdf2(.sha256, salt: [], rounds: 1 << 40),
    ]
  )
  func nonsense(derivation: PasswordKDF) {
    #expect(throws: OpenSSLError.self) { try Self.key(derivation, [1], 32) }
  }

  @Test("an empty password and an empty salt are accepted")
  func empty() throws {
    let key = try Self.key(.pbkdf2(.sha256, salt: [], rounds: 1), [], 32)
    #expect(try key == HMACContext(.sha256, key: Secret(copying: [])).code(for: [0, 0, 0, 1]))
  }
}
