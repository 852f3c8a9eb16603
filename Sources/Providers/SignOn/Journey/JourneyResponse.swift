internal import CourierProtocol
internal import JSON
internal import Text

/// The server's response to a step of a journey.
enum JourneyResponse: Sendable {
  case step(JSON)
  /// The end of the journey; the session is `nil` if the server returned none.
  case done(JourneySession?)

  /// Reads a response; throws the reason if the journey failed.
  init(_ response: CourierResponse) throws {
    if (300..<400).contains(response.status) { throw SignOnFailure.redirected }
    if response.status >= 500 { throw SignOnFailure.serverError }
    let document = try response.document
    if (400..<500).contains(response.status) { throw Self.failure(document) }
    guard response.status == 200 else { throw SignOnFailure.malformed }
    if document["authId"] != nil {
      self = .step(document)
    } else if let session = JourneySession(document) {
      self = .done(session)
    } else {
      guard document["successUrl"]?.string != nil, document["tokenId"] == nil else {
        throw SignOnFailure.malformed
      }
      self = .done(nil)
    }
  }

  /// True if the response is a step with a callback of this type.
  func asks(for type: String) -> Bool {
    guard case .step(let document) = self else { return false }
    return document["callbacks"]?.array?.contains { $0["type"]?.string == type } == true
  }

  /// Returns the reason why the server ends a journey.
  ///
  /// The journey cannot continue; the user must start it again.
  private static func failure(_ document: JSON) -> SignOnFailure {
    let message = document["message"]?.string ?? ""
    // A substring search would link Swift's regular-expression library into the program.
    if message.split(whereSeparator: { !$0.isLetter }).contains(where: { $0 == unknownSuspension }) {
      return SignOnFailure("SUSPENSION_EXPIRED", "the link is not valid any more")
    }
    let detail = document["detail"]
    let code = detail?["errorCode"].flatMap { $0.string ?? $0.int.map(String.init) }
    if code == "110" || document["code"] == 1999 || document["code"] == "1999" { return .sessionExpired }
    var text = message.isEmpty ? SignOnFailure.refused(nil).message : Callback.line(message, maximum: 200)
    if let policies = PolicyRule.message(of: PolicyRule.failures(detail?["failedPolicyRequirements"])) {
      text = Callback.line("\(text): \(policies)")
    }
    return SignOnFailure(cause(document, code), text)
  }

  /// Returns the stable name of a failure: the server's error code or, without a usable one, `LOGIN_FAILED`.
  private static func cause(_ document: JSON, _ code: String?) -> String {
    if document["code"] == "requestTimedOut" { return "TIMED_OUT" }
    guard let code, (1...64).contains(code.utf8.count),
      code.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") })
    else { return "LOGIN_FAILED" }
    return code.uppercased()
  }

  private static let unknownSuspension = "SuspendedAuthSessionException"
}

/// The session of a completed journey.
struct JourneySession: Sendable, Equatable {
  /// The token that identifies the session.
  let token: String
  private let successURL: String?
  private let realm: String?

  private static let longestToken = 8192

  /// Reads the last response of a journey, or a stored session; `nil` without a usable session token.
  init?(_ json: JSON) {
    // A token that is not valid in a header would be stored, and every later journey would fail to send it.
    guard let token = json["tokenId"]?.string, (1...Self.longestToken).contains(token.utf8.count),
      CourierHeader("Session", token).isSendable
    else { return nil }
    self.token = token
    (successURL, realm) = (json["successUrl"]?.string, json["realm"]?.string)
  }

  /// True if the status of a logout response means that the session has ended, now or earlier.
  static func isOver(after status: Int) -> Bool { (200..<300).contains(status) || status == 401 }

  /// The session as stored JSON.
  var json: JSON {
    var object: JSONObject = ["tokenId": .string(token)]
    object["successUrl"] = successURL.map { .string($0) }
    object["realm"] = realm.map { .string($0) }
    return .object(object)
  }
}
