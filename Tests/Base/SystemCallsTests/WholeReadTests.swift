import Glibc
import SystemCalls
import Testing

@Suite("Reading whole files")
struct WholeReadTests {
  /// Returns an unlinked file of `count` bytes, and these bytes.
  private static func file(of count: Int) throws -> (descriptor: Int32, bytes: [UInt8]) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
    var path = Array("/tmp/whole-read-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    try #require(descriptor >= 0)
    unlink(path)
    try writeWhole(bytes, to: descriptor)
    try #require(lseek(descriptor, 0, SEEK_SET) == 0)
    return (descriptor, bytes)
  }

  @Test(
    "a file up to the limit is read whole; a longer one fails with EFBIG",
    arguments: [0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 100_000]
  )
  func limit(count: Int) throws {
    for limit in [count, count + 1, 1 << 20] {
      let (descriptor, bytes) = try Self.file(of: count)
      defer { close(descriptor) }
      #expect(try readWhole(descriptor, atMost: limit) == bytes)
    }
    let (descriptor, _) = try Self.file(of: count + 1)
    defer { close(descriptor) }
    let error = #expect(throws: SystemError.self) { try readWhole(descriptor, atMost: count) }
    #expect(error?.code == EFBIG)
  }

  @Test("data that arrives in parts is read to the end")
  func parts() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    defer { close(ends[0]) }
    for part in ["one ", "two ", "three"] { try writeWhole(Array(part.utf8), to: ends[1]) }
    close(ends[1])
    #expect(try readWhole(ends[0], atMost: 100) == Array("one two three".utf8))
  }

  @Test("reading a directory fails with the error of read()")
  func failure() throws {
    let directory = open("/", O_RDONLY | O_CLOEXEC)
    defer { close(directory) }
    let error = #expect(throws: SystemError.self) { try readWhole(directory, atMost: 100) }
    #expect(error?.call == "read")
    #expect(error?.code == EISDIR)
  }
}
