public import CourierProtocol
public import EventLoop
internal import Glibc

/// A listener of the courier on this machine's loopback, which waits for the one redirect that ends a sign-on.
///
/// It listens until its time is over, it is cancelled, or nobody holds it any more, also when the redirect has come.
@EventLoop
public final class CourierListener {
  /// The port on which the browser finds it, as 127.0.0.1 or localhost.
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
  /// It can be asked again: a task that is cancelled ends its own wait and not the listening, and what came is kept.
  public func query() async throws(CourierFailure) -> String { try await listening.query() }

  /// Ends the listening; whoever waits hears that it was cancelled.
  public func cancel() { client?.cancelListening(id) }
}

/// One redirect that the courier waits for, from the order to the end of the sign-on.
@EventLoop
final class Listening {
  let redirect: ExpectedRedirect
  let owner: uid_t
  let deadline: Duration
  var timer: Timer?
  var isSent = false
  /// Is resumed when the courier listens, or when that will not be.
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

  /// The wait is over, one way or another; whoever asks later hears the same.
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

  /// Waits for the outcome; when the task is cancelled, only this wait is.
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
