internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import JSON
internal import SystemCalls
internal import Time
internal import UnixSockets

/// A connection to the daemon: one request at a time, and the events that come between.
final class DaemonConnection {
  private let waiter: Waiter
  private let answerLimit: Duration
  private var lines: LineReader
  private let descriptor: Descriptor
  private var lastID = 0
  private var events: [Event] = []

  /// What can be read from when something has come.
  var number: Int32 { descriptor.number }

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

  /// Calls a method and returns its result as it came.
  func result(of method: some ControlMethod, within limit: Duration? = nil) throws(Failure) -> JSON {
    try result(within: limit, method.request)
  }

  /// Calls a method that need not be known here.
  func result(of call: NamedCall) throws(Failure) -> JSON { try result(within: nil, call.request) }

  private func result(within limit: Duration?, _ request: (Int) -> [UInt8]) throws(Failure) -> JSON {
    let deadline = Deadline.after(limit ?? answerLimit)
    try begin(request, until: deadline)
    return try answer(until: deadline)
  }

  /// Calls a method without waiting for its answer, which `arrival` gives.
  func begin(_ method: some ControlMethod) throws(Failure) {
    try begin(method.request, until: .after(answerLimit))
  }

  private func begin(_ request: (Int) -> [UInt8], until deadline: Deadline) throws(Failure) {
    lastID += 1
    try send(request(lastID) + [UInt8(ascii: "\n")], until: deadline)
  }

  /// What came first while an answer was awaited.
  enum Arrival {
    case answer(JSON)
    /// Something can be read from the other descriptor.
    case beside
    case timedOut
  }

  /// Waits for the answer to the last request, or until something can be read from another descriptor.
  func arrival(until deadline: Deadline, beside other: Int32 = -1) throws(Failure) -> Arrival {
    while true { if let arrival = try step(until: deadline, beside: other) { return arrival } }
  }

  /// Takes one line in; `nil` if it was something else than the answer.
  private func step(until deadline: Deadline, beside other: Int32 = -1) throws(Failure) -> Arrival? {
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

  /// The answer to the last request; also when the call was interrupted before it came.
  func answer(until deadline: Deadline) throws(Failure) -> JSON {
    guard case .answer(let result) = try arrival(until: deadline) else {
      throw .noAnswer
    }
    return result
  }

  /// The result of the last request, if that is what the message is.
  private func result(of message: DaemonMessage) throws(Failure) -> JSON? {
    switch message {
    case .event(let event): keep(event)
    case .unknown: break
    // A line that is not about one request: the daemon refuses the connection or could not read the request.
    case .reply(nil, .failure(let refusal)): throw .refused(refusal)
    case .reply(lastID, .failure(let refusal)): throw .refused(refusal)
    case .reply(lastID, .success(let result)): return result
    // Late answer to a request that was given up.
    case .reply(let id?, _) where (1..<lastID).contains(id): break
    case .reply: throw .notTheDaemon
    }
    return nil
  }

  /// Starts to receive events of some topics, of all if none is named.
  func subscribe(to topics: Set<EventTopic>) throws(Failure) {
    _ = try result(of: EventSubscribe(topics: topics))
  }

  /// The next event; `nil` if the deadline came first.
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
        // A daemon that has too many connections says so before it closes: what it wrote can still be read.
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

/// When a wait ends.
struct Deadline: Sendable {
  /// By the clock that counts since boot; `nil` for never.
  private let end: Duration?

  static let never = Deadline(end: nil)

  static func after(_ duration: Duration) -> Deadline {
    Deadline(end: TimeSource.system.uptime() + duration)
  }

  /// Whichever comes first, this or the end of a duration from now.
  func orAfter(_ duration: Duration) -> Deadline {
    let other = TimeSource.system.uptime() + duration
    return Deadline(end: min(end ?? other, other))
  }

  /// What poll(2) takes: the milliseconds that are left, -1 for no end.
  var milliseconds: Int32 {
    guard let end else { return -1 }
    let left = end - TimeSource.system.uptime()
    return left <= .zero ? 0 : Int32(clamping: left.millisecondsRoundedUp)
  }

  /// Whether it is over.
  var hasPassed: Bool { milliseconds == 0 }
}

extension Session {
  /// What a daemon is to who has not said where it is: the machine's, or their own.
  func place(_ path: String) -> SafeText {
    guard let system = sockets.systemPath else { return "\(path)" }
    return "\(path), \(path == system ? "the daemon of this machine" : "your own daemon")"
  }

  /// The daemon that is not spoken to, where there are two and that one has accounts of this user too: which
  /// one is met is decided by who can be connected, and they know nothing of each other.
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

  /// Nobody waits long for what was not asked for.
  private static var otherLimit: Duration { .seconds(2) }
}
