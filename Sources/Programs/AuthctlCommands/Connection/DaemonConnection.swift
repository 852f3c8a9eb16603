internal import EventLoop
internal import Glibc
internal import JSON
internal import UnixSockets

/// A connection to the daemon: one request at a time, and the events that come between.
final class DaemonConnection {
  private let waiter: Waiter
  private let answerLimit: Duration
  private var lines: LineReader
  private let descriptor: Descriptor
  private var lastID = 0
  private var events: [Event] = []

  /// The longest line that the daemon writes.
  static let maximumLine = 1024 * 1024
  /// How many events are kept while an answer is awaited; as the daemon, the oldest goes first.
  private static let maximumEvents = 256

  init(_ descriptor: Descriptor, _ waiter: Waiter, answerLimit: Duration) throws(Failure) {
    self.descriptor = descriptor
    self.waiter = waiter
    self.answerLimit = answerLimit
    lines = LineReader(descriptor, maximumLine: Self.maximumLine)
    do { try descriptor.setNonBlocking() } catch { throw Self.lost }
  }

  /// Calls a method and returns its result.
  func call(
    _ method: String,
    _ params: JSONObject = [:],
    within limit: Duration? = nil
  ) throws(Failure) -> JSON {
    let deadline = Deadline.after(limit ?? answerLimit)
    try begin(method, params, until: deadline)
    return try answer(until: deadline)
  }

  /// Calls a method without waiting for its answer, which `arrival` gives.
  func begin(_ method: String, _ params: JSONObject) throws(Failure) {
    try begin(method, params, until: .after(answerLimit))
  }

  private func begin(_ method: String, _ params: JSONObject, until deadline: Deadline) throws(Failure) {
    lastID += 1
    var request: JSONObject = ["jsonrpc": "2.0", "id": .int(lastID), "method": .string(method)]
    if !params.isEmpty { request["params"] = .object(params) }
    try send(JSON.object(request).serialized + [UInt8(ascii: "\n")], until: deadline)
  }

  /// What came first while an answer was awaited.
  enum Arrival {
    case answer(JSON)
    /// Something can be read from the other descriptor.
    case beside
    case timedOut
  }

  /// Waits for the answer to the last request, or until something can be read from another descriptor.
  func arrival(until deadline: Deadline, beside other: Int32) throws(Failure) -> Arrival {
    while true {
      switch try lines.next(waiter, until: deadline, beside: other) {
      case .line(let bytes):
        if let result = try result(of: try Self.message(bytes)) { return .answer(result) }
      case .beside: return .beside
      case .timedOut: return .timedOut
      case .tooLong: throw Self.notTheDaemon
      case .end: throw Self.lost
      }
    }
  }

  /// The answer to the last request, when `call` was interrupted before it came.
  func lateAnswer(within limit: Duration) throws(Failure) -> JSON { try answer(until: .after(limit)) }

  private func answer(until deadline: Deadline) throws(Failure) -> JSON {
    while let message = try next(until: deadline) {
      if let result = try result(of: message) { return result }
    }
    throw .local(.timedOut, "the daemon did not answer in time")
  }

  /// The result of the last request, if that is what the message is.
  private func result(of message: DaemonMessage) throws(Failure) -> JSON? {
    switch message {
    case .event(let event): keep(event)
    case .unknown: break
    // A line that is not about one request: the daemon refuses the connection or could not read the request.
    case .reply(nil, .failure(let error)): throw .refused(error.refusal)
    case .reply(lastID, .failure(let error)): throw .refused(error.refusal)
    case .reply(lastID, .success(let result)): return result
    // Late answer to a request that was given up.
    case .reply(let id?, _) where (1..<lastID).contains(id): break
    case .reply: throw Self.notTheDaemon
    }
    return nil
  }

  /// Starts to receive events of some topics, of all if none is named.
  func subscribe(to topics: [String]) throws(Failure) {
    _ = try call("event.subscribe", topics.isEmpty ? [:] : ["topics": .strings(topics)])
  }

  /// The next event; `nil` if the deadline came first.
  func nextEvent(until deadline: Deadline) throws(Failure) -> Event? {
    if !events.isEmpty { return events.removeFirst() }
    while let message = try next(until: deadline) {
      switch message {
      case .event(let event): return event
      case .unknown: break
      case .reply(nil, .failure(let error)): throw .refused(error.refusal)
      case .reply(let id?, _) where (1...max(1, lastID)).contains(id): break
      case .reply: throw Self.notTheDaemon
      }
    }
    return nil
  }

  private func keep(_ event: Event) {
    if events.count == Self.maximumEvents { events.removeFirst() }
    events.append(event)
  }

  private func send(_ bytes: [UInt8], until deadline: Deadline) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      guard try waiter.wait(for: descriptor.number, POLLOUT, until: deadline) else {
        throw .local(.timedOut, "the daemon did not take the request in time")
      }
      do {
        sent += try bytes.withUnsafeBytes { (buffer) throws(SystemError) in
          try descriptor.send(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
        }
      } catch {
        // A daemon that has too many connections says so before it closes: what it wrote can still be read.
        return
      }
    }
  }

  private func next(until deadline: Deadline) throws(Failure) -> DaemonMessage? {
    let line: ArraySlice<UInt8>
    switch try lines.next(waiter, until: deadline) {
    case .line(let bytes): line = bytes
    case .tooLong: throw Self.notTheDaemon
    case .end: throw Self.lost
    case .timedOut, .beside: return nil
    }
    return try Self.message(line)
  }

  private static func message(_ line: ArraySlice<UInt8>) throws(Failure) -> DaemonMessage {
    guard let message = DaemonMessage(line: line) else { throw notTheDaemon }
    return message
  }

  private static var lost: Failure {
    .local(
      .unreachable,
      "the daemon closed the connection before it answered",
      hint: "the daemon's journal may say why: \"journalctl -u mfad\""
    )
  }

  private static var notTheDaemon: Failure {
    .local(.notTheDaemon, "what came back is not the daemon's protocol")
  }
}
