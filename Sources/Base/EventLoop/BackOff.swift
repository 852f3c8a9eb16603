/// How long to wait before the next try: twice as long each time, up to a limit.
package struct BackOff: Sendable {
  private let shortest: Duration
  private let longest: Duration
  private var following: Duration

  package init(from shortest: Duration, to longest: Duration) {
    (self.shortest, self.longest, following) = (shortest, longest, shortest)
  }

  /// The next wait; the one after it is twice as long.
  package mutating func next() -> Duration {
    defer { following = min(following * 2, longest) }
    return following
  }

  /// Begins again with the shortest wait.
  package mutating func reset() { following = shortest }
}
