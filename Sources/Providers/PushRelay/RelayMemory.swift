internal import Time

/// What is remembered of a relay from one connection to the next: from when on to ask, and what came already.
struct RelayMemory: Sendable {
  /// Whether the relay had more to say than was taken, so that its stream was ended.
  var hasOverflowed = false
  private var newest: Int
  private var seen: [String] = []

  /// How long a message may have waited, in seconds: nobody asks a person for longer.
  private static let longestWait = 600
  private static let mostSeen = 128

  /// Nothing has come yet; what waits at the relay is still asked for.
  init(now: Timestamp) { newest = now.seconds - Self.longestWait }

  /// From where on to ask: an instant in Unix seconds, never before what anybody still waits for.
  ///
  /// What is of the newest second is told again, since a relay may keep messages in another order than it told them in.
  /// After more than was taken it is the last message that was, or what had been taken would stand before the rest.
  func since(_ now: Timestamp) -> String {
    let earliest = now.seconds - Self.longestWait
    if hasOverflowed, newest > earliest, let last = seen.last, RelayAddress.isMessageID(last) { return last }
    return String(max(newest, earliest))
  }

  /// Notes a message; false if it has come before, as a relay sends again what is of the second that is asked from.
  mutating func isNew(_ message: RelayMessage, now: Timestamp) -> Bool {
    guard !seen.contains(message.id) else { return false }
    seen.append(message.id)
    if seen.count > Self.mostSeen { seen.removeFirst() }
    // The relay's clock is believed only as far as it does not hide what comes later.
    newest = max(newest, min(message.time, now.seconds))
    return true
  }
}
