import Glibc
internal import SystemCalls
internal import Time

/// A load on one server: a number of connections, of requests in flight on each, and a duration.
struct Load {
  let path: String
  let exchange: Exchange
  let connections: Int
  let pipeline: Int
  let duration: Duration

  /// The results of a load.
  struct Report {
    let perSecond: Double
    /// Microseconds from a batch of requests to its last reply: median, slowest hundredth and thousandth.
    let median: Double
    let slowestHundredth: Double
    let slowestThousandth: Double
  }

  private struct Client {
    var stream: AnswerStream
    var missing = 0
    var sentAt = Duration.zero
  }

  private static let warmUp = Duration.milliseconds(300)

  /// Generates the load and reports.
  ///
  /// This thread does nothing else.
  func run() throws -> Report {
    let batch = Array(repeating: exchange.request, count: pipeline).flatMap(\.self)
    var clients = try (0..<connections).map { _ in
      Client(stream: try AnswerStream(to: path, exchange.framing))
    }
    var polls = clients.map(\.stream.poll)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    var latencies: [Double] = []
    var answers = 0
    let start = TimeSource.system.uptime() + Self.warmUp
    let end = start + duration
    for index in clients.indices { try send(batch, on: &clients[index]) }
    while true {
      guard poll(&polls, nfds_t(polls.count), 5000) > 0 else { throw SystemError("poll") }
      let now = TimeSource.system.uptime()
      if now >= end { break }
      for index in clients.indices where polls[index].revents != 0 {
        let done = try clients[index].stream.read(into: buffer)
        if now >= start { answers += done }
        clients[index].missing -= done
        guard clients[index].missing <= 0 else { continue }
        if now >= start {
          latencies.append(microseconds(TimeSource.system.uptime() - clients[index].sentAt))
        }
        try send(batch, on: &clients[index])
      }
    }
    latencies.sort()
    guard !latencies.isEmpty else { throw SystemError("poll", code: ETIMEDOUT) }
    return Report(
      perSecond: Double(answers) / (microseconds(duration) / 1_000_000),
      median: latencies[latencies.count / 2],
      slowestHundredth: latencies[latencies.count * 99 / 100],
      slowestThousandth: latencies[latencies.count * 999 / 1000]
    )
  }

  private func send(_ batch: [UInt8], on client: inout Client) throws {
    client.missing += pipeline
    client.sentAt = TimeSource.system.uptime()
    try client.stream.send(batch)
  }
}

func microseconds(_ duration: Duration) -> Double {
  let (seconds, attoseconds) = duration.components
  return Double(seconds) * 1_000_000 + Double(attoseconds) / 1_000_000_000_000
}
