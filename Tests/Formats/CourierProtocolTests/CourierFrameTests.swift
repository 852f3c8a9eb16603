import CourierProtocol
import Testing

@Suite("Courier frames")
struct CourierFrameTests {
  @Test("messages are read from a stream that is split anywhere")
  func cut() throws {
    let messages = [[], [1], [UInt8](repeating: 7, count: 300), [2, 3]] as [[UInt8]]
    let stream = messages.flatMap { CourierFrame.encode($0) ?? [] }
    for size in [1, 2, 3, 5, 7, 100, stream.count] {
      var reader = CourierFrameReader()
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        reader.append(stream[start..<min(start + size, stream.count)])
        while let message = try reader.next() { found.append(Array(message)) }
      }
      #expect(found == messages)
    }
  }

  @Test("a frame begins with its length in big-endian order")
  func length() {
    #expect(CourierFrame.encode([UInt8](repeating: 0, count: 0x0102))?.prefix(4) == [0, 0, 1, 2])
  }

  @Test("a message of more than 1 MiB is refused")
  func limit() throws {
    let longest = [UInt8](repeating: 0, count: 1 << 20)
    var reader = CourierFrameReader()
    reader.append(try #require(CourierFrame.encode(longest)))
    #expect(try reader.next()?.count == 1 << 20)
    #expect(CourierFrame.encode(longest + [0]) == nil)
    reader.append([0, 0x10, 0, 1])
    #expect(throws: CourierFrameTooLong.self) { try reader.next() }
  }
}
