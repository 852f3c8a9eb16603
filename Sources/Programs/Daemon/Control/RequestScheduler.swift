public import EventLoop
internal import Glibc
public import Time

/// Chooses the next request to execute: round robin over owners, and over the connections of each owner.
///
/// Each loop iteration executes requests for a limited time. Then replies are sent and new requests are
/// queued.
@EventLoop
public final class RequestScheduler {
  private let time: TimeSource
  /// The queue of waiting owners and the queue of each owner's connections.
  private var owners: [uid_t] = []
  private var waiting: [uid_t: [RunQueueEntry]] = [:]
  private var willServe = false

  public init(time: TimeSource) { self.time = time }

  /// Queues a connection until it has no more requests.
  ///
  /// Has no effect on a connection that is queued already.
  func add(_ place: RunQueueEntry) {
    guard place.enter() else { return }
    lineUp(place)
    guard !willServe else { return }
    willServe = true
    EventLoop.after(.zero) { self.serve() }
  }

  private func lineUp(_ place: RunQueueEntry) {
    waiting[place.owner, default: []].append(place)
    if waiting[place.owner]?.count == 1 { owners.append(place.owner) }
  }

  private func serve() {
    let end = time.uptime() + EventLoop.longestRun
    while let place = takeFirst() {
      if place.takeTurn() { lineUp(place) }
      // The work of a request before its first suspension is part of its owner's turn.
      guard EventLoop.runTasks(), time.uptime() < end else { break }
    }
    willServe = !owners.isEmpty
    // Let the loop do its other work first.
    if willServe { EventLoop.after(.zero) { self.serve() } }
  }

  private func takeFirst() -> RunQueueEntry? {
    guard let owner = owners.first else { return nil }
    owners.removeFirst()
    guard let place = waiting[owner]?.removeFirst() else { return nil }
    if waiting[owner]?.isEmpty == false { owners.append(owner) } else { waiting[owner] = nil }
    return place
  }
}

/// The entry of one connection in the scheduler's queue.
@EventLoop
final class RunQueueEntry {
  /// Executes the next request of the connection.
  ///
  /// Returns `false` if there is none for now.
  typealias Next = @EventLoop () -> Bool

  let owner: uid_t
  private var next: Next?
  private var isInLine = false

  init(of owner: uid_t, _ next: @escaping Next) { (self.owner, self.next) = (owner, next) }

  /// Joins the queue.
  ///
  /// Returns `false` if the entry is queued already, or after `leave()`.
  func enter() -> Bool {
    guard !isInLine, next != nil else { return false }
    isInLine = true
    return true
  }

  /// Executes the next request.
  ///
  /// Returns true if the entry must be queued again.
  func takeTurn() -> Bool {
    isInLine = false
    guard let next, next() else { return false }
    return enter()
  }

  /// Leaves the queue permanently and releases the closure with everything that it retains.
  func leave() { next = nil }
}
