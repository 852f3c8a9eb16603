internal import JSON
internal import OATHExports

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
