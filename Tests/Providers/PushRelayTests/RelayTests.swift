import Testing
import Time
import WebAddress

@testable import PushRelay

@Suite("messages and addresses of push relays")
struct RelayTests {
  private static func message(id: String = "a", time: Int = 1000, text: String = "push") throws
    -> RelayMessage
  {
    let line = #"{"id":"\#(id)","time":\#(time),"event":"message","topic":"t","message":"\#(text)"}"#
    return try #require(RelayMessage(Array(line.utf8)))
  }

  @Test("a message line yields its content, and other events yield none")
  func lines() throws {
    #expect(try Self.message().content == Array("push".utf8))
    let binary = #"{"id":"a","time":1,"event":"message","message":"AP8=","encoding":"base64"}"#
    #expect(RelayMessage(Array(binary.utf8))?.content == [0, 255])
    for event in ["open", "keepalive", "message_clear", ""] {
      let line = #"{"id":"a","time":1,"event":"\#(event)","message":"x"}"#
      #expect(try #require(RelayMessage(Array(line.utf8))).content == nil)
    }
    for encoding in [#""hex""#, "7", #""base64""#] {
      let line = #"{"id":"a","time":1,"event":"message","message":"A","encoding":\#(encoding)}"#
      #expect(RelayMessage(Array(line.utf8)).flatMap(\.content) == (encoding == "7" ? Array("A".utf8) : nil))
    }
  }

  @Test(
    "an invalid line of the stream is ignored",
    arguments: [
      "", "[]", "{}", "push", #"{"id":"","time":1,"event":"message"}"#,
      #"{"id":1,"time":1,"event":"message"}"#,
      #"{"id":"a","time":-1,"event":"message"}"#, #"{"id":"a","time":"1","event":"message"}"#,
      #"{"id":"a","time":1}"#, #"{"id":"a","id":"b","time":1,"event":"message"}"#, "\u{FF}",
    ]
  )
  func nonsense(line: String) { #expect(RelayMessage(Array(line.utf8)) == nil) }

  @Test("a message id is limited to 64 bytes")
  func longID() throws {
    #expect(try Self.message(id: String(repeating: "a", count: 64)).id.utf8.count == 64)
    let line = #"{"id":"\#(String(repeating: "a", count: 65))","time":1,"event":"open"}"#
    #expect(RelayMessage(Array(line.utf8)) == nil)
  }

  /// True for each message that is new, in their order.
  private static func taken(_ messages: [RelayMessage], _ memory: inout RelayMemory) -> [Bool] {
    messages.map { memory.isNew($0, now: now) }
  }

  private static let now = Timestamp(seconds: 10_000)

  @Test("polling starts at the newest message, at most ten minutes ago")
  func since() throws {
    var memory = RelayMemory(now: Self.now)
    #expect(memory.since(Self.now) == "9400")
    let steps = try [("a", 9900, 9900), ("b", 9500, 9900), ("c", 99_999, 10_000)].map { id, time, since in
      (message: try Self.message(id: id, time: time), since: since)
    }
    // The relay of the last message has a clock that is ahead. Later messages must still arrive.
    for (message, since) in steps {
      let taken = Self.taken([message], &memory)
      #expect(taken == [true] && memory.since(Self.now) == "\(since)")
    }
    #expect(memory.since(Timestamp(seconds: 20_000)) == "19400")
  }

  @Test("polling after an overflow starts at the last message id, if it is valid at ntfy")
  func overflow() throws {
    for (id, asked) in [("AbcDef-_0123", "AbcDef-_0123"), ("AbcDef", "9900"), ("AbcDef&/0123", "9900")] {
      var memory = RelayMemory(now: Self.now)
      memory.hasOverflowed = true
      #expect(memory.since(Self.now) == "9400")
      _ = try Self.taken(
        [Self.message(id: "123456789012", time: 9900), Self.message(id: id, time: 9800)],
        &memory
      )
      #expect(memory.since(Self.now) == asked)
      // Messages as old as this are no longer needed.
      #expect(memory.since(Timestamp(seconds: 10_501)) == "9901")
      memory.hasOverflowed = false
      #expect(memory.since(Self.now) == "9900")
    }
  }

  @Test("a message is accepted once, until 128 others have followed")
  func once() throws {
    var memory = RelayMemory(now: Self.now)
    let first = try Self.message(id: "first")
    let others = try (0..<127).map { try Self.message(id: "\($0)") }
    let last = try Self.message(id: "last")
    let taken = Self.taken([first, first] + others + [first, last, first], &memory)
    #expect(taken == [true, false] + others.map { _ in true } + [false, true, true])
  }

  @Test("an address has an unguessable topic, and its stream is below it")
  func addresses() throws {
    let relay = try #require(WebURL("https://ntfy.example"))
    let address = try #require(try RelayAddress.make(at: relay))
    #expect(address.path.utf8.count == 1 + 2 + 22 && address.path.hasPrefix("/up") && address.query == "up=1")
    #expect(try RelayAddress.make(at: relay) != address)
    #expect(
      RelayAddress.stream(of: address, since: "7")?.text == "https://ntfy.example\(address.path)/json?since=7"
    )
    for path in ["/", "/a/b", "/a,b", "/a%2Fb", "/" + String(repeating: "a", count: 65)] {
      let address = try #require(WebURL("https://ntfy.example" + path))
      #expect(RelayAddress.stream(of: address, since: "7") == nil, "\(path)")
    }
  }

  @Test("an ntfy message id is recognized", arguments: ["aB3-_0aB3-_0"])
  func goodID(text: String) { #expect(RelayAddress.isMessageID(text)) }

  @Test(
    "any other text is not a message id",
    arguments: ["", "aB3-_0aB3-_", "aB3-_0aB3-_00", "aB3-_0aB3-_.", "êêêêêê"]
  )
  func badID(text: String) { #expect(!RelayAddress.isMessageID(text)) }
}
