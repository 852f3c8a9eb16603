package import JOSE
package import JSON

/// Finds the push within what a transport delivered.
package enum PushEnvelope {
  /// The push in a payload: bare, or under `message`, `data` or `aps`; `nil` if there is none.
  package static func push(in payload: JSON, depth: Int = 0) -> CompactJWS? {
    switch payload {
    case .string(let text):
      if let token = try? CompactJWS(parsing: text) { return token.header.type == Push.type ? token : nil }
      // Some transports hand the object on as text.
      guard depth < deepest, let inner = try? JSON(parsing: text), inner.object != nil else { return nil }
      return push(in: inner, depth: depth + 1)
    case .object(let object):
      guard depth < deepest else { return nil }
      for name in ["message", "data", "aps"] {
        if let found = object[name].flatMap({ push(in: $0, depth: depth + 1) }) { return found }
      }
      return nil
    default: return nil
    }
  }

  private static let deepest = 3
}
