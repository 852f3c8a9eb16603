internal import EventLoop
internal import Glibc

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
