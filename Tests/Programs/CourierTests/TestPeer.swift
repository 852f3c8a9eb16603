import Configuration
import Connections
import Courier
import CourierProtocol
import EventLoop
import Glibc
import TestCourier
import TestHTTP
import TestNetwork
import UnixSockets
import WebAddress

/// A peer of a courier in the same process.
///
/// It can also send invalid messages.
@EventLoop
final class TestPeer {
  private let courier: Courier
  private let stream: StreamConnection
  private var reader = CourierFrameReader()
  private var replies: [CourierReply] = []
  private var isClosed = false
  private var waiter: CheckedContinuation<Void, Never>?
  private(set) var lastID = ExchangeID.first

  init(of courier: Courier) throws {
    let (ours, theirs) = try UnixSocket.pair()
    try courier.serve(theirs)
    self.courier = courier
    stream = StreamConnection(ours)
    stream.onBytes = { [weak self] bytes in
      guard let self else { return }
      reader.append(bytes)
      while let message = try? reader.next() {
        if let reply = try? CourierReply(parsing: message) { replies.append(reply) }
      }
      wake()
    }
    stream.onClose = { [weak self] in
      self?.isClosed = true
      self?.wake()
    }
    try stream.start()
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  func send(raw bytes: [UInt8]) { stream.send(bytes) }

  func send(text: String) { stream.send(CourierFrame.encode(Array(text.utf8)) ?? []) }

  func send(_ order: CourierOrder) { stream.send(CourierFrame.encode(order.serialized) ?? []) }

  @discardableResult
  func begin(_ url: WebURL, timeout: Duration = .seconds(40)) -> ExchangeID {
    lastID = lastID.next
    send(.request(lastID, CourierRequest(.get, url, timeout: timeout)))
    return lastID
  }

  /// Opens a listener.
  ///
  /// The next reply is its port.
  @discardableResult
  func listen(_ path: String = "/callback", timeout: Duration = .seconds(60)) -> ExchangeID {
    lastID = lastID.next
    send(.listen(lastID, .withState(path: path, timeout: timeout)))
    return lastID
  }

  /// Opens a subscription.
  @discardableResult
  func subscribe(_ url: WebURL) -> ExchangeID {
    lastID = lastID.next
    send(.subscribe(lastID, url))
    return lastID
  }

  /// Returns the port of the next reply.
  func port() async throws -> UInt16 {
    let outcome = await next()
    guard case .listening(let port) = outcome else { throw TestProgram.Failure(what: "\(outcome)") }
    return port
  }

  /// Sends a GET request and returns the next reply.
  func get(_ url: WebURL, timeout: Duration = .seconds(40)) async -> Outcome {
    begin(url, timeout: timeout)
    return await next()
  }

  func close() { stream.close() }

  /// True if a listener for this path answers at the port.
  ///
  /// Another test may use the port of a listener that
  /// has ended.
  static func isListening(_ port: UInt16, for path: String) async -> Bool {
    let answer = try? await TestHTTPClient.send("GET", path + "?state=none", port: port)
    return answer?.text.contains("You can close this window") == true
  }

  /// The contents of a reply, for comparison.
  enum Outcome: Equatable {
    case answer(Int, String)
    case listening(UInt16)
    case redirected(String)
    case line(String)
    case failure(CourierFailure)
    case closed
  }

  /// Returns the next reply, or `closed` at the end of the connection or of the test's time.
  func next() async -> Outcome {
    while replies.isEmpty, !isClosed, !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter = $0 }
      } onCancel: {
        Task { @EventLoop in self.wake() }
      }
    }
    guard !replies.isEmpty else { return .closed }
    switch replies.removeFirst() {
    case .response(_, let response):
      return .answer(response.status, String(decoding: response.body, as: UTF8.self))
    case .listening(_, let port): return .listening(port)
    case .redirected(_, let query): return .redirected(query)
    case .line(_, let bytes): return .line(String(decoding: bytes, as: UTF8.self))
    case .failure(_, let failure): return .failure(failure)
    }
  }
}

extension Courier {
  /// Creates a courier that serves this user and allows these platforms.
  convenience init(
    _ platforms: WebURL...,
    settings: String = "",
    users: Set<UInt32>? = nil,
    idleTime: Duration? = nil
  ) throws {
    self.init(
      try Configuration(for: platforms, settings: settings),
      permittedUsers: users ?? [geteuid()],
      idleTime: idleTime
    )
  }
}

extension Configuration {
  init(for platforms: [WebURL], settings: String = "") throws {
    let lines = platforms.map { "issuer = \($0.text)" } + ["allow_loopback_http = yes", settings]
    try self.init(parsing: lines.joined(separator: "\n"), file: "test")
  }
}
