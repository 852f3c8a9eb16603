public import CourierProtocol
public import EventLoop
internal import Glibc

/// A loopback listener in the courier that waits for the one redirect at the end of a sign-on.
///
/// It listens until it times out, is cancelled or is deallocated, even after the redirect has arrived.
@EventLoop
public final class CourierListener {
  /// The port for the browser, on 127.0.0.1 or localhost.
  public let port: UInt16

  private let id: ExchangeID
  private let listening: Listening
  private weak var client: CourierClient?

  init(_ id: ExchangeID, _ listening: Listening, port: UInt16, client: CourierClient) {
    self.id = id
    self.listening = listening
    self.port = port
    self.client = client
  }

  isolated deinit { cancel() }

  /// Waits for the redirect and returns its query exactly as the browser sent it.
  ///
  /// Can be called again. Cancelling the task ends only this call; the listener and a received redirect
  /// remain.
  public func query() async throws(CourierFailure) -> String { try await listening.query() }

  /// Stops listening; pending calls of ``query()`` throw `cancelled`.
  public func cancel() { client?.cancelListening(id) }
}

/// One redirect that the courier waits for, from the request to listen until the end of the sign-on.
@EventLoop
final class Listening {
  let redirect: ExpectedRedirect
  let owner: uid_t
  let deadline: Duration
  var timer: Timer?
  var isSent = false
  /// Resumed when the courier listens, or when the attempt has failed.
  var opening: CheckedContinuation<Result<UInt16, CourierFailure>, Never>?
  private(set) var isOpen = false
  private var outcome: Result<String, CourierFailure>?
  private var waiters: [Int: CheckedContinuation<Result<String, CourierFailure>, Never>] = [:]
  private var lastWaiter = 0

  init(_ redirect: ExpectedRedirect, of owner: uid_t, until deadline: Duration) {
    (self.redirect, self.owner, self.deadline) = (redirect, owner, deadline)
  }

  func open(on port: UInt16) {
    isOpen = true
    opening?.resume(returning: .success(port))
    opening = nil
  }

  /// Stores the outcome and resumes all waiters; later calls of ``query()`` get the same outcome.
  func finish(_ outcome: Result<String, CourierFailure>) {
    timer?.cancel()
    guard self.outcome == nil else { return }
    self.outcome = outcome
    if case .failure(let failure) = outcome { opening?.resume(returning: .failure(failure)) }
    opening = nil
    let waiters = waiters
    self.waiters = [:]
    for waiter in waiters.values { waiter.resume(returning: outcome) }
  }

  /// Waits for the outcome; cancelling the task ends only this call.
  func query() async throws(CourierFailure) -> String {
    if let outcome { return try outcome.get() }
    if Task.isCancelled { throw .cancelled }
    lastWaiter += 1
    let number = lastWaiter
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiters[number] = $0 }
    } onCancel: {
      EventLoop.task { self.leave(number) }
    }
    return try outcome.get()
  }

  private func leave(_ number: Int) {
    waiters.removeValue(forKey: number)?.resume(returning: .failure(.cancelled))
  }
}
