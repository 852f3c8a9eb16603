internal import JSON
internal import OATHExports
internal import Time

/// One line of an ntfy server's JSON stream, as its documentation of the subscription by API describes it.
struct RelayMessage: Sendable {
  /// The server's name of the message, once a server.
  let id: String
  /// When the server took it, in Unix seconds by its clock.
  let time: Int
  /// What was published; `nil` for a line that only says that the server is there.
  let content: [UInt8]?

  private static let longestID = 64

  /// Reads a line; `nil` if it is none of that stream.
  init?(_ line: [UInt8]) {
    guard let json = try? JSON(parsing: line), let id = json["id"]?.string, let time = json["time"]?.int,
      (1...Self.longestID).contains(id.utf8.count), time >= 0, let event = json["event"]?.string
    else { return nil }
    (self.id, self.time) = (id, time)
    switch (event, json["message"]?.string, json["encoding"]?.string) {
    case ("message", let text?, nil): content = Array(text.utf8)
    // What is not UTF-8 cannot stand in JSON as it is.
    case ("message", let text?, "base64"): content = Base64.decode(text)
    default: content = nil
    }
  }
}

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
