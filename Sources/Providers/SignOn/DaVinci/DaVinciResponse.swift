internal import JSON
internal import Text
internal import WebAddress

/// What a response of a DaVinci flow is.
enum DaVinciResponse: Sendable {
  case page(DaVinciPage)
  /// The page before is to be shown once more, nothing was wrong.
  case again
  /// The page before was answered wrongly.
  case wrong(DaVinciProblem)
  /// The flow is done; with the authorization response, if there is one.
  case done(JSON?)

  /// Reads a response below the status 500 that is no redirect; throws for one that ends the sign-on.
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

  /// The server knows the sign-on no more; servers write the number also as text.
  private static func isExpired(_ json: JSON) -> Bool {
    guard let code = json["code"] else { return false }
    return code.int == 1999 || ["1999", "requestTimedOut"].contains(code.string?.trimmed ?? "")
  }

  /// The connector that ends flows failed, after which there is no page to go back to.
  private static func isFinal(_ json: JSON) -> Bool {
    json["connectorId"] == "pingOneAuthenticationConnector"
      && ["returnSuccessResponseRedirect", "setSession"].contains(json["capabilityName"]?.string ?? "")
  }

  /// Why the server ends the sign-on, by the error within its response, or by the response itself.
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

/// What a page is replied to with, as the server takes it.
struct DaVinciReply: Sendable, Equatable {
  /// What happened to the page.
  enum Event: String, Sendable {
    case submit, action, polling
  }

  let event: Event
  /// The key of what was pressed.
  var actionKey: String?
  /// The values by the keys of their fields; `nil` when not even an empty form is sent.
  var formData: JSONObject? = [:]

  /// The body of the request.
  func body(to page: DaVinciPage, interaction: String?) -> JSON {
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
