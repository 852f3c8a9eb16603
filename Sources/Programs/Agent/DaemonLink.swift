internal import Connections
internal import ControlAPI
internal import ControlClient
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Journal

/// The connection to the daemon, re-established after each loss.
@EventLoop
final class DaemonLink {
  /// Called when a new connection is ready, before any subscription.
  var onUp: (@EventLoop () -> Void)?
  var onEvent: (@EventLoop (Event) -> Void)?

  private let choice: SocketChoice
  private var connection: StreamConnection?
  private var framer = LineFramer(maximumLength: maximumLine)
  private var waiting: [Int: @EventLoop (Result<JSON, Failure>) -> Void] = [:]
  private var lastID = 0
  private var backOff = BackOff(from: .milliseconds(250), to: .seconds(30))
  /// True if the journal already says that the daemon is unavailable.
  private var isAbsenceTold = false

  /// Maximum length in bytes of a line that the daemon writes.
  private static let maximumLine = 1024 * 1024
  private static let connectingLimit = Duration.seconds(2)
  private static let replyLimit = Duration.seconds(60)

  init(_ choice: SocketChoice) { self.choice = choice }

  /// Connects to the daemon and retries until it succeeds.
  func connect() {
    do throws(Failure) {
      let connection = StreamConnection(try choice.connect(within: Self.connectingLimit))
      connection.onBytes = { [weak self] in self?.take($0) }
      connection.onClose = { [weak self] in self?.lose() }
      framer = LineFramer(maximumLength: Self.maximumLine)
      do { try connection.start() } catch { throw Self.lost }
      self.connection = connection
    } catch {
      return lose(error)
    }
    Journal.info("connected to the daemon")
    isAbsenceTold = false
    onUp?()
  }

  /// Calls a method.
  ///
  /// Completions and `onEvent` are called in the order in which the daemon sent the replies and events.
  func call<Method: ControlMethod>(
    _ method: Method,
    _ completion: @escaping @EventLoop (Result<Method.Result, Failure>) -> Void
  ) {
    guard let connection else { return completion(.failure(Self.lost)) }
    lastID += 1
    let id = lastID
    let timer = EventLoop.after(Self.replyLimit) { [weak self] in
      self?.finish(id, .failure(.noAnswer))
    }
    waiting[id] = { outcome in
      timer.cancel()
      completion(
        Result { () throws(Failure) in try Reply(json: try outcome.get(), of: Method.self).value }
      )
    }
    connection.send(method.request(id: id) + [UInt8(ascii: "\n")])
  }

  private func finish(_ id: Int, _ outcome: Result<JSON, Failure>) {
    waiting.removeValue(forKey: id)?(outcome)
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    framer.take(bytes)
    while let connection, let event = framer.next() {
      guard case .line(let line) = event, let message = DaemonMessage(line: line[...]) else {
        Journal.warning("received data that is not the daemon's protocol")
        return connection.close()
      }
      take(message)
    }
  }

  private func take(_ message: DaemonMessage) {
    switch message {
    case .event(let event): onEvent?(event)
    case .unknown: break
    // With a reply without an id, the daemon refuses the connection.
    case .reply(nil, _): connection?.close()
    case .reply(let id?, let outcome):
      backOff.reset()
      finish(id, outcome.mapError { .refused($0) })
    }
  }

  private func lose(_ failure: Failure = lost) {
    connection = nil
    let waiting = waiting
    self.waiting = [:]
    for completion in waiting.values { completion(.failure(failure)) }
    if !isAbsenceTold {
      isAbsenceTold = true
      Journal.warning("the daemon is unavailable", ["failure": failure.journalWord])
    }
    EventLoop.after(backOff.next()) { [weak self] in self?.connect() }
  }

  private static var lost: Failure { .local(.unreachable, "the daemon is unavailable") }
}

extension Failure {
  /// The reason without personal data, for the journal.
  fileprivate var journalWord: String {
    if case .failed(let complaint) = self { complaint.reason.rawValue } else { "REFUSED" }
  }
}
