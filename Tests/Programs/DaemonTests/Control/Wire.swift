import Connections
import ControlAPI
import EventLoop
import Glibc
import JSON
import TestLoop
import Testing
import UnixSockets
import Vault

@testable import Daemon

/// An event hub, a connection's queue, and a client that reads on request.
@EventLoop
final class Wire {
  let hub: EventHub
  let queue: EventQueue
  private let stream: StreamConnection
  private let client: Descriptor
  private var rest: [UInt8] = []

  init(_ hub: EventHub = EventHub()) throws {
    self.hub = hub
    let (ours, theirs) = try UnixSocket.pair()
    client = theirs
    try client.setNonBlocking()
    stream = StreamConnection(ours)
    queue = EventQueue(stream, ConnectionMemory(MemoryBudget(owners: 1), owner: 1000))
    stream.onDrained = { [weak self] in self?.queue.flush() }
    try stream.start()
  }

  func subscribe(
    _ topics: Set<EventTopic> = [],
    releases: Bool = true,
    owner: uid_t = 1000
  ) throws -> String {
    let id = try queue.subscribe(owner: owner, topics: topics, to: hub)
    #expect(queue.takeNew() == [id])
    if releases { queue.release([id]) }
    return id
  }

  /// Sends a line that is not an event.
  func reply(_ line: JSON) { stream.send(line.serialized + [UInt8(ascii: "\n")]) }

  /// Reads until no more data comes.
  ///
  /// Returns the params of each event.
  func read() async throws -> [JSON] {
    try await readLines().map { line in
      #expect(line["method"] == "event" && line["id"] == nil)
      return try #require(line["params"])
    }
  }

  func readLines() async throws -> [JSON] {
    var lines: [JSON] = []
    var idle = 0
    while idle < 3 {
      await TestLoop.turn()
      let (count, more) = try read(upTo: 64 * 1024)
      idle = count > 0 ? 0 : idle + 1
      lines += more
    }
    return lines
  }

  /// Reads up to `limit` available bytes.
  ///
  /// Returns their number and the complete lines.
  func read(upTo limit: Int) throws -> (count: Int, lines: [JSON]) {
    var buffer = [UInt8](repeating: 0, count: limit)
    guard let count = try buffer.withUnsafeMutableBytes({ try client.read(into: $0) }) else { return (0, []) }
    rest += buffer[..<count]
    var lines: [JSON] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(try JSON(parsing: rest[..<end]))
      rest.removeSubrange(...end)
    }
    return (count, lines)
  }

  func close() { stream.close() }
}
