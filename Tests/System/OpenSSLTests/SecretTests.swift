import Fixtures
import Glibc
import OpenSSL
import Testing

@Suite("Secrets")
struct SecretTests {
  private let marker = Array("correct horse battery".utf8)

  @Test("a secret prints only its type name")
  func printing() {
    let secret = Secret(copying: marker)
    #expect("\(secret)" == "Secret")
    #expect(String(reflecting: secret) == "Secret")
    #expect("\([secret] as [Secret])" == "[Secret]")
    var dumped = ""
    dump((name: "key", secret: Optional(secret)), to: &dumped)
    #expect(dumped.contains("Secret"))
    #expect(!dumped.contains("horse") && !dumped.contains("\(marker[0])"))
  }

  @Test("a secret returns the bytes that it was made from", arguments: [0, 1, 20, 32, 33, 10_000])
  func content(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let secret = Secret(copying: bytes)
    #expect(secret.count == count)
    #expect(secret.withBytes { Array($0) } == bytes)
    #expect(Secret(copying: bytes.reversed()).withBytes { Array($0) } == bytes.reversed())
  }

  @Test("random secrets differ")
  func random() throws {
    let secrets = try (0..<100).map { _ in try Secret.random(count: 32).withBytes { Array($0) } }
    #expect(Set(secrets).count == 100)
    #expect(secrets.allSatisfy { $0.count == 32 })
    #expect(Set(try (0..<100).map { _ in try randomBytes(16) }).count == 100)
    #expect(try randomBytes(0).isEmpty)
    #expect(try Secret.random(count: 0).count == 0)
  }

  @Test("withBytes rethrows the error of its closure")
  func errors() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try Secret(copying: marker).withBytes { _ in throw Refusal() } }
  }
}

@Suite("Memory")
struct MemoryTests {
  @Test("wipe empties the array")
  func wiping() {
    var bytes: [UInt8] = [1, 2, 3]
    wipe(&bytes)
    #expect(bytes.isEmpty)
    wipe(&bytes)
    #expect(bytes.isEmpty)
  }

  @Test("constant-time comparison is true only for equal bytes and length")
  func comparing() {
    #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
    #expect(constantTimeEqual([], []))
    #expect(constantTimeEqual([1, 2, 3][...], (1...3).lazy.map { UInt8($0) }))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEqual([1, 2, 3], [0, 2, 3]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
    #expect(!constantTimeEqual([], [0]))
  }

  // The arenas belong to the process, so each of these tests runs in a separate process.

  @Test("secrets are stored in the arena and wiped there; a full arena is reported once and is no failure")
  func arena() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      #expect(SecretMemory.lock(bytes: 10_000))
      #expect(!SecretMemory.lock(bytes: 10_000))

      let pattern = [UInt8](repeating: 0xA5, count: 256)
      var secret: Secret? = Secret(copying: pattern)
      let address = try #require(secret?.withBytes { $0.baseAddress })
      let inside = UnsafeRawBufferPointer(start: address, count: 256)
      #expect(inside.count { $0 == 0xA5 } == 256)
      secret = nil
      // The arena stays mapped and no longer contains the secret.
      #expect(inside.allSatisfy { $0 == 0 })

      let many = (0..<200).map { _ in Secret(copying: pattern) }
      #expect(many.allSatisfy { $0.withBytes { Array($0) } == pattern })
      #expect(!SecretMemory.holdsAll)
      #expect(Secret(copying: [UInt8](repeating: 1, count: 100_000)).count == 100_000)
    }
    let errors = try String(decoding: #require(result).standardErrorContent, as: UTF8.self)
    #expect(errors.split(separator: "\n").count { $0.contains("the locked memory is full") } == 1)
  }

  @Test("the whole arena is locked, but only used pages are resident")
  func room() async {
    await #expect(processExitsWith: .success) {
      #expect(SecretMemory.lock(bytes: 2 << 20))
      let secret = Secret(copying: [1])
      #expect(secret.count == 1)
      let locked = try locked()
      #expect(locked.size >= 2048)
      #expect(locked.resident < 1024)
    }
  }

  @Test("OpenSSL can make a key after 1000 secrets")
  func apart() async {
    await #expect(processExitsWith: .success) {
      #expect(SecretMemory.lock(bytes: 4096))
      let many = try (0..<1000).map { _ in try Secret.random(count: 32) }
      let key = try PrivateKey.generateP256()
      #expect(try !key.sign([1], scheme: .ecdsa(.sha256)).isEmpty)
      #expect(many.count == 1000)
    }
  }

  @Test("freed arena memory is reused and never allocated twice")
  func reuse() async {
    await #expect(processExitsWith: .success) {
      #expect(SecretMemory.lock(bytes: 8192))
      var numbers = SeededNumbers(7)
      var held: [(secret: Secret, byte: UInt8)] = []
      for round in 0..<20_000 {
        if held.count > 40 || (!held.isEmpty && Bool.random(using: &numbers)) {
          let (secret, byte) = held.remove(at: Int.random(in: held.indices, using: &numbers))
          #expect(secret.withBytes { $0.allSatisfy { $0 == byte } })
        }
        let (count, byte) = (Int.random(in: 0..<130, using: &numbers), UInt8(truncatingIfNeeded: round))
        held.append((Secret(copying: [UInt8](repeating: byte, count: count)), byte))
      }
      // The secrets that exist at the same time always fit into the arena.
      #expect(SecretMemory.holdsAll)
    }
  }
}

/// Size and resident size of all locked mappings, in kilobytes (proc_pid_smaps(5)).
private func locked() throws -> (size: Int, resident: Int) {
  let file = try #require(fopen("/proc/self/smaps", "r"))
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 4096)
  var mapping: [Substring: Int] = [:]
  var sum = (size: 0, resident: 0)
  while fgets(&line, Int32(line.count), file) != nil {
    let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    if words.count == 3, let number = Int(words[1]) { mapping[words[0]] = number }
    // The last line of a mapping.
    if words.first == "VmFlags:", words.contains("lo") {
      sum.size += try #require(mapping["Size:"])
      sum.resident += try #require(mapping["Rss:"])
    }
  }
  return sum
}
