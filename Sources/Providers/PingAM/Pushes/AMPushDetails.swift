internal import AMEnrolments
internal import JSON
internal import OATHExports
internal import OpenSSL

/// What answers to a push need of it, as it lies beside the push.
struct AMPushDetails {
  let challenge: [UInt8]
  let cookie: AMCookie?
  /// Whether it is approved only by somebody whom this machine has recognized.
  let needsPresence: Bool

  init(_ push: AMPush) {
    (challenge, cookie, needsPresence) = (push.challenge, push.cookie, push.kind == .biometric)
  }

  init?(stored json: JSON?) {
    guard let challenge = json?["challenge"]?.string.flatMap({ Base64.decode($0) }) else { return nil }
    self.challenge = challenge
    cookie = json?["cookie"]?.string.flatMap { AMCookie($0) }
    needsPresence = json?["needsPresence"]?.bool ?? false
  }

  /// By what the push is known whatever id it comes under, since nothing that the server signs says which is its own.
  var mark: String { get throws { Base64.encode(try digest(challenge, .sha256)) } }

  var stored: JSON {
    var object: JSONObject = [
      "challenge": .string(Base64.encode(challenge)), "needsPresence": .bool(needsPresence),
    ]
    object["cookie"] = (cookie?.text).map { .string($0) }
    return .object(object)
  }
}
