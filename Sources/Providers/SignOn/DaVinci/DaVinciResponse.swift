internal import JSON
internal import Text
internal import WebAddress

/// The kinds of responses in a DaVinci flow.
enum DaVinciResponse: Sendable {
  case page(DaVinciPage)
  /// The client must show the previous page again; there was no error.
  case again
  /// The server rejected the reply to the previous page.
  case wrong(DaVinciProblem)
  /// The flow is complete; the value is the authorization response, if any.
  case done(JSON?)

  /// Reads a response with a status below 500 that is not a redirect; throws if it ends the sign-on.
  init(status: Int, _ json: JSON, origin: Origin, allowsLoopbackHTTP: Bool = false) throws(SignOnFailure) {
    if status >= 400 {
      if Self.isExpired(json) { throw .sessionExpired }
      if Self.isFinal(json) { throw Self.refusal(json) }
      self = .wrong(DaVinciProblem(json))
      return
    }
    if let failure = Self.failure(json) { throw failure }
    if json["authorizeResponse"] != nil || json["session"] != nil {
      self = .done(json["authorizeResponse"])
      return
    }
    if json["eventName"]?.string?.hasPrefix("rewindState") == true {
      self = .again
      return
    }
    self = .page(try DaVinciPage(json, origin: origin, allowsLoopbackHTTP: allowsLoopbackHTTP))
  }

  /// True if the server has discarded the sign-on; servers send the code as a number or as text.
  private static func isExpired(_ json: JSON) -> Bool {
    guard let code = json["code"] else { return false }
    return code.int == 1999 || ["1999", "requestTimedOut"].contains(code.string?.trimmed ?? "")
  }

  /// True if the last connector of the flow failed, so that the flow cannot return to a page.
  private static func isFinal(_ json: JSON) -> Bool {
    json["connectorId"] == "pingOneAuthenticationConnector"
      && ["returnSuccessResponseRedirect", "setSession"].contains(json["capabilityName"]?.string ?? "")
  }

  /// Returns the failure with the message and code of the `error` member or, without them, of the response.
  private static func refusal(_ json: JSON) -> SignOnFailure {
    let sources = [json["error"], json].compactMap { $0 }
    return .refused(
      sources.lazy.compactMap(DaVinciProblem.message).first,
      code: sources.lazy.compactMap { $0["code"]?.string }.first
    )
  }

  private static func failure(_ json: JSON) -> SignOnFailure? {
    let error = json["error"]
    let hasFailed = ["failed", "failure"].contains(json["status"]?.string?.lowercased() ?? "")
    guard hasFailed || error?.object?.isEmpty == false else { return nil }
    return refusal(json)
  }
}

/// A reply to a page, in the server's format.
struct DaVinciReply: Sendable, Equatable {
  /// The user's action.
  enum Event: String, Sendable {
    case submit, action, polling
  }

  let event: Event
  /// Key of the button.
  var actionKey: String?
  /// Values by field key; if it is `nil`, the reply has no `formData` member.
  var formData: JSONObject? = [:]

  /// The body of the request.
  func body(to page: DaVinciPage.Target, interaction: String?) -> JSON {
    var data = JSONObject()
    data["actionKey"] = actionKey.map { .string($0) }
    data["formData"] = formData.map { .object($0) }
    var body = JSONObject()
    body["id"] = page.id.map { .string($0) }
    body["eventName"] = .string(page.eventName)
    body["interactionId"] = interaction.map { .string($0) }
    body["parameters"] = ["eventType": .string(event.rawValue), "data": .object(data)]
    return .object(body)
  }
}
