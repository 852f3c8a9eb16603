import Glibc
import Testing

@testable import Journal

/// A journal output and the other end of its pipe or socket.
private final class Line {
  let writer: JournalOutput
  private let ends: [Int32]

  init(socket: Bool) {
    var ends: [Int32] = [0, 0]
    _ = socket ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)
    self.ends = socket ? ends : ends.reversed()
    writer = JournalOutput(self.ends[0])
    _ = fcntl(self.ends[1], F_SETFL, O_NONBLOCK)
  }

  deinit { for end in ends { close(end) } }

  /// True if the descriptor, which other processes share, is still in blocking mode.
  var isBlocking: Bool { fcntl(ends[0], F_GETFL) & O_NONBLOCK == 0 }

  func read() -> [Substring] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = Glibc.read(ends[1], &buffer, buffer.count), count > 0 { all += buffer[..<count] }
    return String(decoding: all, as: UTF8.self).split(separator: "\n")
  }
}

@Suite("Journal writer")
struct JournalWriterTests {
  @Test(
    "writer drops lines if the reader is slow and later reports their number",
    arguments: [true, false]
  )
  func lost(socket: Bool) {
    let line = Line(socket: socket)
    var writer = JournalWriter(line.writer)
    for number in 0..<20_000 {
      writer.write(.info, "a line", ["number": number], at: .zero, isLimited: false)
    }
    let first = line.read()
    #expect(first.count < 20_000 && first.last == "<6>a line number=\(first.count - 1)")
    writer.write(.info, "the next", [:], at: .zero, isLimited: false)
    let lost = "<4>lines were lost: the reader is too slow count=\(20_000 - first.count)"
    #expect(line.read() == [lost[...], "<6>the next"])
    #expect(line.isBlocking)
  }

  @Test("a line that is too long for an atomic pipe write is cut")
  func long() {
    let line = Line(socket: false)
    var writer = JournalWriter(line.writer)
    let text = String(repeating: "x", count: 200)
    let fields: Journal.Fields = [
      "a": text, "b": text, "c": text, "d": text, "e": text, "f": text, "g": text, "h": text, "i": text,
      "j": text, "k": text, "l": text, "m": text, "n": text, "o": text, "p": text, "q": text, "r": text,
      "s": text, "t": text, "u": text,
    ]
    for _ in 0..<2 { writer.write(.info, "long", fields, at: .zero, isLimited: false) }
    #expect(line.read().map(\.utf8.count) == [4095, 4095])
  }

  @Test("writer limits lines of one kind and reports the number left out")
  func limited() {
    let line = Line(socket: true)
    var writer = JournalWriter(line.writer)
    for _ in 0..<70 { writer.write(.warning, "much", [:], at: .seconds(1), isLimited: true) }
    writer.write(.warning, "other", [:], at: .seconds(2), isLimited: true)
    #expect(line.read() == Array(repeating: "<4>much", count: 50) + ["<4>other"])
    writer.write(.info, "later", [:], at: .seconds(11), isLimited: false)
    #expect(line.read() == ["<4>lines of one kind were left out line=much count=20", "<6>later"])
    writer.write(.warning, "much", [:], at: .seconds(12), isLimited: true)
    writer.write(.warning, "other", [:], at: .seconds(30), isLimited: true)
    #expect(line.read() == ["<4>much", "<4>other"])
    for _ in 0..<70 { writer.write(.debug, "all", [:], at: .seconds(40), isLimited: false) }
    #expect(line.read().count == 70)
  }
}
