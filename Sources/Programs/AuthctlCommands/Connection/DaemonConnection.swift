internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import JSON
internal import SystemCalls
internal import Time
internal import UnixSockets

/// A connection to the daemon: one request at a time, and events in between.
final class DaemonConnection {
  private let waiter: Waiter
  private let answerLimit: Duration
  private var lines: LineReader
  private let descriptor: Descriptor
  private var lastID = 0
  private var events: [Event] = []

  /// The descriptor, for poll(2).
  var number: Int32 { descriptor.number }

  /// Maximum length in bytes of a line that the daemon writes.
  static let maximumLine = 1024 * 1024
  /// Maximum number of events that are kept while a response is pending.
  ///
  /// The oldest is dropped first, as in the daemon.
  private static let maximumEvents = 256

  init(_ descriptor: Descriptor, _ waiter: Waiter, answerLimit: Duration) throws(Failure) {
    self.descriptor = descriptor
    self.waiter = waiter
    self.answerLimit = answerLimit
    lines = LineReader(descriptor, maximumLine: Self.maximumLine)
    do { try descriptor.setNonBlocking() } catch { throw Self.lost }
  }

  /// Calls a method and returns its result as received.
  func result(of method: some ControlMethod, within limit: Duration? = nil) throws(Failure) -> JSON {
    try result(within: limit, method.request)
  }

  /// Calls a method that this program may not know.
  func result(of call: NamedCall) throws(Failure) -> JSON { try result(within: nil, call.request) }

  private func result(within limit: Duration?, _ request: (Int) -> [UInt8]) throws(Failure) -> JSON {
    let deadline = Deadline.after(limit ?? answerLimit)
    try begin(request, until: deadline)
    return try answer(until: deadline)
  }

  /// Calls a method without waiting for its response, which `arrival` returns.
  func begin(_ method: some ControlMethod) throws(Failure) {
    try begin(method.request, until: .after(answerLimit))
  }

  private func begin(_ request: (Int) -> [UInt8], until deadline: Deadline) throws(Failure) {
    lastID += 1
    try send(request(lastID) + [UInt8(ascii: "\n")], until: deadline)
  }

  /// The reason why a wait for a response ended.
  enum WaitResult {
    case answer(JSON)
    /// The other descriptor is readable.
    case beside
    case timedOut
  }

  /// Waits for the response to the last request, or until another descriptor is readable.
  func arrival(until deadline: Deadline, beside other: Int32 = -1) throws(Failure) -> WaitResult {
    while true { if let arrival = try step(until: deadline, beside: other) { return arrival } }
  }

  /// Handles one line.
  ///
  /// Returns `nil` if it was not the response.
  private func step(until deadline: Deadline, beside other: Int32 = -1) throws(Failure) -> WaitResult? {
    switch try lines.next(waiter, until: deadline, beside: other) {
    case .line(let bytes):
      guard let message = DaemonMessage(line: bytes) else { throw .notTheDaemon }
      return try result(of: message).map { .answer($0) }
    case .beside: return .beside
    case .timedOut: return .timedOut
    case .tooLong: throw .notTheDaemon
    case .end: throw Self.lost
    }
  }

  /// Returns the response to the last request, even if the call was interrupted before.
  func answer(until deadline: Deadline) throws(Failure) -> JSON {
    guard case .answer(let result) = try arrival(until: deadline) else {
      throw .noAnswer
    }
    return result
  }

  /// Returns the result of the last request if the message is its response; `nil` for other messages.
  private func result(of message: DaemonMessage) throws(Failure) -> JSON? {
    switch message {
    case .event(let event): keep(event)
    case .unknown: break
    // A response without an id: the daemon refused the connection or could not parse the request.
    case .reply(nil, .failure(let refusal)): throw .refused(refusal)
    case .reply(lastID, .failure(let refusal)): throw .refused(refusal)
    case .reply(lastID, .success(let result)): return result
    // Late response to a request that timed out.
    case .reply(let id?, _) where (1..<lastID).contains(id): break
    case .reply: throw .notTheDaemon
    }
    return nil
  }

  /// Subscribes to events of these topics; an empty set means all topics.
  func subscribe(to topics: Set<EventTopic>) throws(Failure) {
    _ = try result(of: EventSubscribe(topics: topics))
  }

  /// Returns the next event; `nil` at the deadline.
  func nextEvent(until deadline: Deadline) throws(Failure) -> Event? {
    while events.isEmpty {
      if case .timedOut = try step(until: deadline) { return nil }
    }
    return events.removeFirst()
  }

  private func keep(_ event: Event) {
    if events.count == Self.maximumEvents { events.removeFirst() }
    events.append(event)
  }

  private func send(_ bytes: [UInt8], until deadline: Deadline) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      guard try waiter.wait(for: descriptor.number, POLLOUT, until: deadline) else {
        throw .local(.timedOut, "the daemon did not read the request in time")
      }
      do {
        sent += try bytes.withUnsafeBytes { (buffer) throws(SystemError) in
          try descriptor.send(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
        }
      } catch {
        // A daemon with too many connections writes an error before it closes; this error is still readable.
        return
      }
    }
  }

  private static var lost: Failure {
    .local(
      .unreachable,
      "the daemon closed the connection before it answered",
      hint: "\"journalctl -u mfad\" may show the reason"
    )
  }
}

/// The end of a wait.
struct Deadline: Sendable {
  /// The time since boot; `nil` for no limit.
  private let end: Duration?

  static let never = Deadline(end: nil)

  static func after(_ duration: Duration) -> Deadline {
    Deadline(end: TimeSource.system.uptime() + duration)
  }

  /// Returns the earlier of this deadline and the end of a duration from now.
  func orAfter(_ duration: Duration) -> Deadline {
    let other = TimeSource.system.uptime() + duration
    return Deadline(end: min(end ?? other, other))
  }

  /// The remaining milliseconds for poll(2), -1 for no limit.
  var milliseconds: Int32 {
    guard let end else { return -1 }
    let left = end - TimeSource.system.uptime()
    return left <= .zero ? 0 : Int32(clamping: left.millisecondsRoundedUp)
  }

  /// True if the deadline has passed.
  var hasPassed: Bool { milliseconds == 0 }
}

extension Session {
  /// Returns the path and, if no socket was named, the owner of the daemon: the machine or the user.
  func place(_ path: String) -> SafeText {
    guard let system = sockets.systemPath else { return "\(path)" }
    return "\(path), \(path == system ? "the daemon of this machine" : "your own daemon")"
  }

  /// Returns the text about a second daemon with accounts of this user; `nil` if there is none.
  ///
  /// authctl uses the first daemon that accepts the connection. The daemons do not know each other's accounts.
  func otherPlace() throws(Failure) -> SafeText? {
    guard sockets.systemPath != nil, let path = sockets.paths.first(where: { $0 != socketPath }) else {
      return nil
    }
    do {
      let (descriptor, _) = try SocketChoice(flag: path).connection(within: Self.otherLimit)
      let other = try DaemonConnection(descriptor, waiter, answerLimit: Self.otherLimit)
      let status = try Reply(json: try other.result(of: ServiceStatus()), of: ServiceStatus.self).value
      let count = status.owner.paired
      guard count > 0 else { return nil }
      let accounts = Describe.count(count, "account", "accounts")
      return "also \(place(path)), with \(accounts) of yours: --socket \(path)"
    } catch {
      if case .interrupted = error { throw error }
      return nil
    }
  }

  /// Maximum wait for the second daemon, which the user did not ask for.
  private static var otherLimit: Duration { .seconds(2) }
}
