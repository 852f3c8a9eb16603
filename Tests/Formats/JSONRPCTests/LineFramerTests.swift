import JSONRPC
import Testing

@Suite("Line framer")
struct LineFramerTests {
  private func events(of chunks: [[UInt8]], limit: Int) -> [String] {
    var framer = LineFramer(maximumLength: limit)
    var events: [String] = []
    for chunk in chunks {
      chunk.withUnsafeBytes { framer.take($0) }
      while let event = framer.next() {
        switch event {
        case .line(let line): events.append(String(decoding: line, as: UTF8.self))
        case .tooLong: events.append("too long")
        }
      }
    }
    return events
  }

  @Test("lines do not depend on the split of the stream")
  func everyCut() {
    let stream = Array("one\r\n\ntwo\nthree".utf8)
    for first in 0...stream.count {
      for second in first...stream.count {
        let chunks = [Array(stream[..<first]), Array(stream[first..<second]), Array(stream[second...])]
        #expect(events(of: chunks, limit: 8) == ["one", "two"])
      }
    }
  }

  @Test("a line above the limit is reported once, and the next line is read")
  func limit() {
    let stream = Array("12345678\r\n123456789\nnext\n123456789012345678901234567890\nlast\n".utf8)
    for size in 1...stream.count {
      let chunks = stride(from: 0, to: stream.count, by: size).map {
        Array(stream[$0..<min($0 + size, stream.count)])
      }
      #expect(events(of: chunks, limit: 8) == ["12345678", "too long", "next", "too long", "last"])
    }
  }

  @Test("buffered lines cost only their bytes and are released when read")
  func held() {
    var framer = LineFramer(maximumLength: 1 << 20)
    let stream = Array(String(repeating: "1\n", count: 30_000).utf8)
    stream.withUnsafeBytes { framer.take($0) }
    #expect(
      framer.isWithinLine && framer.heldCount < 2 * stream.count,
      "short lines cost no more than their bytes"
    )
    for _ in 0..<30_000 { #expect(framer.next() != nil) }
    #expect(!framer.isWithinLine && framer.heldCount == 0, "the last is not held while it is carried out")
    #expect(framer.next() == nil && framer.heldCount == 0)
  }

  @Test("an abandoned line is discarded up to its end, and the next is read")
  func abandoned() {
    var framer = LineFramer(maximumLength: 8)
    func lines(_ text: String) -> [String] {
      Array(text.utf8).withUnsafeBytes { framer.take($0) }
      var lines: [String] = []
      while case .line(let line) = framer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
      return lines
    }
    #expect(lines("one\ntw") == ["one"])
    framer.abandon()
    #expect(lines("o and much more of it") == [] && !framer.isWithinLine)
    #expect(lines("\nthree\n") == ["three"])
  }
}
