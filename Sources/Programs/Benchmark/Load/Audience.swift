internal import ControlAPI
import Glibc
internal import SystemCalls
internal import Time
internal import UnixSockets

/// Connections that hear of accounts, and one that changes an account.
struct Audience {
  /// Microseconds after the request.
  struct Report {
    let slowestHundredth: Double
    /// Medians of all rounds.
    let reply: Double
    let firstEvent: Double
  }

  private let publisher: Descriptor
  private var subscribers: [(descriptor: Descriptor, counter: AnswerCounter)]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  private static let rounds = 25
  /// As often as an owner may change something.
  private static let pause: UInt32 = 100_000
  private static let patience: Int32 = 5000
  private static let event = AnswerCounter(.lines(Array(#"{"jsonrpc":"2.0","method":"event""#.utf8)))
  private static let result = AnswerCounter(Exchange.results)

  init(_ count: Int, at path: String) throws {
    publisher = try UnixSocket.connect(to: path)
    subscribers = try (0..<count).map { _ in (try UnixSocket.connect(to: path), Self.event) }
    for subscriber in subscribers {
      try subscriber.descriptor.sendWhole(Exchange.call(of: EventSubscribe.name, #"{"topics":["account"]}"#))
      var reply = Self.result
      while try answers(&reply, on: subscriber.descriptor) == 0 {}
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

  /// The microseconds until the reply, and until each of the events.
  private mutating func rename(_ account: String, to name: String) throws -> (reply: Double, events: [Double])
  {
    let begin = TimeSource.system.uptime()
    let params = #"{"account":"\#(account)","nickname":"\#(name)"}"#
    try publisher.sendWhole(Exchange.call(of: AccountRename.name, params))
    var answer = Self.result
    var reply: Double?
    var events: [Double] = []
    // The reply is looked for first, or an event could seem to have come before it.
    var polls = ([publisher] + subscribers.map(\.descriptor)).map {
      pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0)
    }
    while reply == nil || events.count < subscribers.count {
      guard poll(&polls, nfds_t(polls.count), Self.patience) > 0 else {
        throw SystemError("poll", code: ETIMEDOUT)
      }
      let now = microseconds(TimeSource.system.uptime() - begin)
      if polls[0].revents != 0, try answers(&answer, on: publisher) > 0 { reply = now }
      for index in subscribers.indices where polls[index + 1].revents != 0 {
        let heard = try answers(&subscribers[index].counter, on: subscribers[index].descriptor)
        events += Array(repeating: now, count: heard)
      }
    }
    return (reply ?? 0, events)
  }

  private func answers(_ counter: inout AnswerCounter, on descriptor: Descriptor) throws -> Int {
    guard let count = try descriptor.read(into: buffer), count > 0 else {
      throw SystemError("read", code: ECONNRESET)
    }
    return try counter.count(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }
}
