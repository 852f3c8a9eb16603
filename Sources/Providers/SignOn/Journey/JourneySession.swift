internal import CourierProtocol
internal import JSON

/// A session that a journey ended with.
struct JourneySession: Sendable, Equatable {
  /// What it is known by.
  let token: String
  private let successURL: String?
  private let realm: String?

  private static let longestToken = 8192

  /// Reads the end of a journey, and equally what was kept of it; `nil` without a session.
  init?(_ json: JSON) {
    // What no header can carry would be kept, and be in the way of every later journey.
    guard let token = json["tokenId"]?.string, (1...Self.longestToken).contains(token.utf8.count),
      CourierHeader("Session", token).isSendable
    else { return nil }
    self.token = token
    (successURL, realm) = (json["successUrl"]?.string, json["realm"]?.string)
  }

  /// Whether a session is over, by the status of the response to the request to end it: it may have been over before.
  static func isOver(after status: Int) -> Bool { (200..<300).contains(status) || status == 401 }

  /// The session as it is kept.
  var json: JSON {
    var object: JSONObject = ["tokenId": .string(token)]
    object["successUrl"] = successURL.map { .string($0) }
    object["realm"] = realm.map { .string($0) }
    return .object(object)
  }
}
