internal import JSON
internal import OATHExports
internal import Time

/// One line of an ntfy server's JSON stream, as described in the ntfy documentation of the subscription API.
struct RelayMessage: Sendable {
  /// The ID of the message, unique at its server.
  let id: String
  /// The time at which the server received the message, in Unix seconds by the server's clock.
  let time: Int
  /// The published content; `nil` for a keep-alive or another line without a message.
  let content: [UInt8]?

  private static let longestID = 64

  /// Parses a line; fails if it is not a line of such a stream.
  init?(_ line: [UInt8]) {
    guard let json = try? JSON(parsing: line), let id = json["id"]?.string, let time = json["time"]?.int,
      (1...Self.longestID).contains(id.utf8.count), time >= 0, let event = json["event"]?.string
    else { return nil }
    (self.id, self.time) = (id, time)
    switch (event, json["message"]?.string, json["encoding"]?.string) {
    case ("message", let text?, nil): content = Array(text.utf8)
    // The server encodes content that is not UTF-8 in Base64.
    case ("message", let text?, "base64"): content = Base64.decode(text)
    default: content = nil
    }
  }
}

/// State kept between connections to a relay: the start of the next request and the received messages.
struct RelayMemory: Sendable {
  /// True if the relay sent more than this machine accepts and the stream was therefore closed.
  var hasOverflowed = false
  private var newest: Int
  private var seen: [String] = []

  /// Maximum age, in seconds, of the messages that are requested from the relay.
  private static let longestWait = 600
  private static let mostSeen = 128

  /// Starts without received messages; the first request includes the messages of the last ten minutes.
  init(now: Timestamp) { newest = now.seconds - Self.longestWait }

  /// Returns the start for the next request: a message ID or Unix seconds, never before the maximum age.
  ///
  /// The start is the time of the newest message, because the relay may store messages in another order
  /// than it sent them. `isNew` ignores repeated messages. After an overflow, the start is the ID of the last
  /// received message, so that repeated messages do not fill the limit again.
  func since(_ now: Timestamp) -> String {
    let earliest = now.seconds - Self.longestWait
    if hasOverflowed, newest > earliest, let last = seen.last, RelayAddress.isMessageID(last) { return last }
    return String(max(newest, earliest))
  }

  /// Records a message; returns false if it was received before, as the relay repeats messages.
  mutating func isNew(_ message: RelayMessage, now: Timestamp) -> Bool {
    guard !seen.contains(message.id) else { return false }
    seen.append(message.id)
    if seen.count > Self.mostSeen { seen.removeFirst() }
    // Cap the relay's time at the local time, so that a wrong relay clock does not hide later messages.
    newest = max(newest, min(message.time, now.seconds))
    return true
  }
}
