internal import AMEnrolments
internal import JOSE
internal import JSON

/// What a transport delivered of a PingAM server: a token that is not verified, and the id that answers name it by.
///
/// The id is signed by nobody; one that was changed on its way makes the server refuse the answer.
struct AMPushEnvelope {
  let messageID: String
  let token: CompactJWS
  /// The token as it came.
  private let text: String

  /// The longest token: the server's limits leave room for less.
  private static let longest = 16 * 1024
  private static let deepest = 3

  /// As it is kept, in the shape in which it is found.
  var stored: JSON { ["messageId": .string(messageID), "message": .string(text)] }

  /// Finds it in a payload; `nil` if there is none.
  ///
  /// It is a token as `message`, or as `data` of `aps`, with `messageId` beside it; further within, or in a text.
  static func found(in payload: JSON, depth: Int = 0) -> AMPushEnvelope? {
    guard depth < deepest else { return nil }
    if let text = payload.string {
      guard let inner = try? JSON(parsing: text), inner.object != nil else { return nil }
      return found(in: inner, depth: depth + 1)
    }
    guard let object = payload.object else { return nil }
    if let id = object["messageId"]?.string, AMMessageID.isOne(id),
      let text = (object["message"] ?? object["data"])?.string,
      let token = try? CompactJWS(parsing: text, maximumLength: longest)
    {
      return AMPushEnvelope(messageID: id, token: token, text: text)
    }
    for name in ["aps", "data", "message"] {
      if let found = object[name].flatMap({ found(in: $0, depth: depth + 1) }) { return found }
    }
    return nil
  }
}
