internal import ControlAPI
import Glibc
internal import SystemCalls
internal import Time

/// Connections that subscribe to accounts, and one that changes an account.
struct Audience {
  /// Microseconds after the request.
  struct Report {
    let slowestHundredth: Double
    /// Medians of all rounds.
    let reply: Double
    let firstEvent: Double
  }

  private var publisher: AnswerStream
  private var subscribers: [AnswerStream]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  private static let rounds = 25
  /// Microseconds between changes, as the write limit of an owner requires.
  private static let pause: UInt32 = 100_000
  private static let patience: Int32 = 5000
  private static let events = Exchange.Framing.lines(Array(#"{"jsonrpc":"2.0","method":"event""#.utf8))

  init(_ count: Int, at path: String) throws {
    publisher = try AnswerStream(to: path, Exchange.results)
    subscribers = try (0..<count).map { _ in try AnswerStream(to: path, Exchange.results) }
    for index in subscribers.indices {
      try subscribers[index].send(Exchange.call(of: EventSubscribe.name, #"{"topics":["account"]}"#))
      while try subscribers[index].read(into: buffer) == 0 {}
      subscribers[index].framing = Self.events
    }
  }

  mutating func report(renaming account: String) throws -> Report {
    defer { buffer.deallocate() }
    var (events, replies, first): ([Double], [Double], [Double]) = ([], [], [])
    for round in 0..<Self.rounds {
      usleep(Self.pause)
      let heard = try rename(account, to: "name \(round)")
      replies.append(heard.reply)
      first.append(heard.events.min() ?? 0)
      events += heard.events
    }
    events.sort()
    return Report(
      slowestHundredth: events[events.count * 99 / 100],
      reply: replies.sorted()[Self.rounds / 2],
      firstEvent: first.sorted()[Self.rounds / 2]
    )
  }

  /// Returns the microseconds until the reply and until each of the events.
  private mutating func rename(_ account: String, to name: String) throws -> (reply: Double, events: [Double])
  {
    let begin = TimeSource.system.uptime()
    let params = #"{"account":"\#(account)","nickname":"\#(name)"}"#
    try publisher.send(Exchange.call(of: AccountRename.name, params))
    var reply: Double?
    var events: [Double] = []
    // Check for the reply first. Otherwise an event could seem to precede it.
    var polls = ([publisher] + subscribers).map(\.poll)
    while reply == nil || events.count < subscribers.count {
      guard poll(&polls, nfds_t(polls.count), Self.patience) > 0 else {
        throw SystemError("poll", code: ETIMEDOUT)
      }
      let now = microseconds(TimeSource.system.uptime() - begin)
      if polls[0].revents != 0, try publisher.read(into: buffer) > 0 { reply = now }
      for index in subscribers.indices where polls[index + 1].revents != 0 {
        let heard = try subscribers[index].read(into: buffer)
        events += repeatElement(now, count: heard)
      }
    }
    return (reply ?? 0, events)
  }
}
