import EventLoop
import HTTPServer
import JSON
import WebAddress

extension FlowKind {
  /// DaVinci's API for native clients, `response_mode=pi.flow`.
  static let daVinci = FlowKind(
    name: "davinci",
    pages: [DaVinciPages.form, DaVinciPages.success, DaVinciPages.failure, .branch] + HostilePages.kinds,
    outcomes: [.page, DaVinciOutcomes.refuse, DaVinciOutcomes.invalid, DaVinciOutcomes.rewind],
    challengeOutcomes: DaVinciOutcomes.challenge,
    turn: { play in
      play.turn = FlowTurn(
        node: randomText(10, of: "abcdefghijklmnopqrstuvwxyz0123456789"),
        token: randomText(256, of: "0123456789abcdef")
      )
    },
    refusal: { play, error in
      play.daVinciError(error.status, code: error.code, message: error.exactMessage)
    }
  )
}

extension Call {
  func play(_ flow: Flow, for request: CheckedAuthorizationRequest) async -> HTTPResponse {
    guard isFromSDK else { return .screen }
    let session = request.prompt == .login ? nil : tenant.session(of: self.request)
    let play = FlowPlay(flow, of: tenant, authorization: request, session: session)
    play.languages = languages
    let response = await play.begin()
    guard request.prompt == CheckedAuthorizationRequest.Prompt.none, play.user == nil else { return response }
    play.end()
    return .plain(200, .loginRequired)
  }

  /// True if the client understands forms as JSON.
  var isFromSDK: Bool { request.headers["x-requested-with"] == "ping-sdk" }

  /// The client's preferred languages, best first.
  var languages: [String] {
    let ranges = request.headers.values("accept-language").joined(separator: ",").split(separator: ",")
    let weighed = ranges.map { range -> (tag: String, weight: Double) in
      let parts = range.split(separator: ";").map { String($0.filter { $0 != " " }) }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
      return (parts.first ?? "", weight ?? 1)
    }
    // Languages of equal weight keep the client's order.
    return weighed.enumerated().sorted { one, other in
      (other.element.weight, one.offset) < (one.element.weight, other.offset)
    }.map(\.element.tag)
  }
}

extension HTTPResponse {
  static let screen = content(
    "text/html; charset=utf-8",
    Array("<!DOCTYPE html><title>Sign on</title><p>This page is for browsers.</p>\n".utf8)
  )
}

/// The steps of DaVinci flows, below `/{environment}/davinci`.
@EventLoop
enum DaVinciRoutes {
  private static let base = "/{environment}/davinci"

  static let routes: [Route<Endpoint>] = [
    .anyone("POST", "\(base)/connections/{connection}/capabilities/{capability}", next),
    .anyone("POST", "\(base)/connections/{connection}/continue", proceed),
    .anyone("POST", "\(base)/user/credentials/challenge/{challenge}/status", challengeStatus),
    .anyone("GET", "\(base)/idp/{interaction}/{button}", identityProvider),
  ]

  private static func next(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    guard call.isFromSDK else { return .screen }
    guard FlowPlay.capabilities.contains(call.parameters["capability"] ?? "") else { throw .notFound }
    let body = try? JSON(parsing: call.request.body).object
    let play = try play(of: call, body)
    guard call.parameters["connection"] == play.connection else { throw .notFound }
    guard call.request.headers.mediaType == "application/json", let body,
      let parameters = body["parameters"]?.object, let event = parameters["eventType"]?.string,
      ["submit", "action", "polling"].contains(event), let data = parameters["data"]?.object,
      let values = (data["formData"] ?? .object([:])).object
    else { return play.daVinciError(400, code: "invalidRequest", message: "The request is malformed.") }
    guard body["id"]?.string == play.turn.node else {
      return play.daVinciError(400, code: "invalidRequest", message: "The page is not the current page.")
    }
    return await play.take(event: event, action: data["actionKey"]?.string ?? "", values)
  }

  /// Resumes a flow with the token that the browser brought back from an identity provider.
  private static func proceed(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    guard call.isFromSDK else { return .screen }
    let header = call.request.headers["authorization"] ?? ""
    let token = header.hasPrefix("Bearer ") ? String(header.dropFirst("Bearer ".count)) : ""
    guard let play = call.tenant.plays.first(where: { $0.continuation?.token == token }),
      let continuation = play.continuation, !play.isOver
    else { throw .unauthorized(interaction: nil) }
    play.continuation = nil
    play.languages = call.languages
    return await play.take(event: "continue", action: continuation.button)
  }

  private static func challengeStatus(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    let play = try play(of: call, nil, isTokenNeeded: false)
    // Reject a poll for a challenge that the play has not issued.
    let challenge = call.parameters["challenge"] ?? ""
    guard play.variables.members.contains(where: { $0.value.string == challenge }) else { throw .notFound }
    return await play.poll()
  }

  /// Simulates an identity provider that signs the user on immediately and redirects the browser back.
  private static func identityProvider(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let id = call.parameters["interaction"] ?? ""
    guard let play = call.tenant.plays.first(where: { $0.id.text == id }), !play.isOver,
      let redirect = play.authorization?.target.redirect
    else { throw .notFound }
    let token = randomText(43, of: tokenAlphabet)
    play.continuation = (token, call.parameters["button"] ?? "")
    guard let location = redirect.appending(query: [("continueToken", token)]) else { throw .notFound }
    return .redirect(location)
  }

  /// Returns the play of a request.
  ///
  /// The interaction is in a header, a cookie or the body, its token in a header or a cookie.
  private static func play(of call: Call, _ body: JSONObject?, isTokenNeeded: Bool = true)
    throws(ErrorResponse) -> FlowPlay
  {
    let headers = call.request.headers
    let inBody = body?["interactionId"]?.string
    let id = headers["interactionId"] ?? headers.cookies["interactionId"] ?? inBody
    let token = headers["interactionToken"] ?? headers.cookies["interactionToken"] ?? ""
    guard let id, inBody == nil || inBody == id,
      let play = call.tenant.plays.first(where: {
        $0.id.text == id && $0.flow.kind.name == FlowKind.daVinci.name
      }), !isTokenNeeded || isSameSecret(token, play.turn.token)
    else { throw .unauthorized(interaction: id) }
    guard !play.isOver else { throw .timedOut(interaction: id) }
    play.languages = call.languages
    return play
  }
}
