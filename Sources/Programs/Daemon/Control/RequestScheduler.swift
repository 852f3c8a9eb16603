public import EventLoop
internal import Glibc
public import Time

/// Decides whose request is carried out next: owners take turns, and so do the connections of each.
///
/// A turn of the loop carries requests out for a short while only. Then their replies leave, and whoever has come
/// meanwhile is among those who take turns.
@EventLoop
public final class RequestScheduler {
  private let time: TimeSource
  /// The owners who wait, and the places of each, those first whose turn is next.
  private var owners: [uid_t] = []
  private var waiting: [uid_t: [Place]] = [:]
  private var willServe = false

  public init(time: TimeSource) { self.time = time }

  /// Has requests carried out when it is their turn, as long as there are any; harmless when repeated.
  func add(_ place: Place) {
    guard place.enter() else { return }
    lineUp(place)
    guard !willServe else { return }
    willServe = true
    EventLoop.after(.zero) { self.serve() }
  }

  private func lineUp(_ place: Place) {
    waiting[place.owner, default: []].append(place)
    if waiting[place.owner]?.count == 1 { owners.append(place.owner) }
  }

  private func serve() {
    let end = time.uptime() + EventLoop.longestRun
    while let place = takeFirst() {
      if place.takeTurn() { lineUp(place) }
      // What a request does before it waits is part of its owner's turn.
      guard EventLoop.runTasks(), time.uptime() < end else { break }
    }
    willServe = !owners.isEmpty
    // What else the loop has to do comes first.
    if willServe { EventLoop.after(.zero) { self.serve() } }
  }

  private func takeFirst() -> Place? {
    guard let owner = owners.first else { return nil }
    owners.removeFirst()
    guard let place = waiting[owner]?.removeFirst() else { return nil }
    if waiting[owner]?.isEmpty == false { owners.append(owner) } else { waiting[owner] = nil }
    return place
  }
}

/// Where a connection stands in the line of those that have requests to carry out.
@EventLoop
final class Place {
  /// Carries out the next request of the connection; `false` if there is none for now.
  typealias Next = @EventLoop () -> Bool

  let owner: uid_t
  private var next: Next?
  private var isInLine = false

  init(of owner: uid_t, _ next: @escaping Next) { (self.owner, self.next) = (owner, next) }

  /// Takes the place in the line; `false` if it is taken already, or was left for ever.
  func enter() -> Bool {
    guard !isInLine, next != nil else { return false }
    isInLine = true
    return true
  }

  /// Carries out the next request, and tells whether the place is kept for another.
  func takeTurn() -> Bool {
    isInLine = false
    guard let next, next() else { return false }
    return enter()
  }

  /// Gives the place up for ever, with all that it holds.
  func leave() { next = nil }
}
