import HTTPServer
import JSON

extension Call {
  func playPolicy(for request: CheckedAuthorizationRequest) async throws(ErrorResponse) -> HTTPResponse {
    let written = tenant.flow(for: request, of: .policy)
    guard let flow = written ?? SignOnPolicy.flow else { throw .unexpected }
    let session = request.prompt == .login ? nil : tenant.session(of: self.request)
    let play = FlowPlay(flow, of: tenant, authorization: request, session: session)
    play.parameters["flowId"] = play.id.text
    play.parameters["scope"] = request.scope.joined(separator: ", ")
    play.policy =
      if let written { SignOnPolicy(id: ID(written.id), steps: []) } else {
        try tenant.signOnPolicy(for: request)
      }
    play.turn.token = session?.token ?? randomText(43, of: tokenAlphabet)
    let response = await play.begin()
    guard request.prompt == CheckedAuthorizationRequest.Prompt.none, play.completed == nil else {
      return response
    }
    play.end()
    guard !play.isInBrowser else { throw .oauth("login_required", "the user must sign on") }
    return .json(200, .loginRequired)
  }
}

extension Tenant {
  /// Returns the first flow of this kind that a request names.
  func flow(for request: CheckedAuthorizationRequest, of kind: FlowKind) -> Flow? {
    request.acrValues.lazy.compactMap { self.flows.flow($0, kind.name) }.first
  }
}

extension SignOnPolicy {
  /// The flow that plays all policies; each policy selects its steps.
  static let flow = try? Flow(parsing: PackageResources.sign_on_json, file: "sign-on.json")
}

extension JSON {
  /// Response to a client that allows no interaction, although interaction is needed.
  static let loginRequired: JSON = [
    "status": "FAILED", "error": ["code": "login_required", "message": "The user must sign on."],
  ]
}

extension FlowKind {
  /// PingOne's flow API: JSON for clients with `pi.flow`, pages for browsers.
  static let policy = FlowKind(
    name: "policy",
    pages: [StatusPage.kind, PolicyEnds.success, PolicyEnds.failure, .branch],
    outcomes: [.page, invalid],
    refusal: { play, error in play.isInBrowser ? play.redraw(saying: error.shortMessage) : error.response }
  )

  /// Rejects a member of the request; the page stays the same.
  private static let invalid = FlowWord<FlowOutcome>("invalid") { reader throws(FlowFileError) in
    var members = try reader.members()
    let target = try members.required("target").text()
    let message = try members.required("message").text()
    try members.end()
    return FlowOutcome { _ throws(ErrorResponse) in throw .invalid(target, message) }
  }
}

enum PolicyEnds {
  static let success = FlowPageKind("success") { _ in
    { play throws(ErrorResponse) in
      guard let request = play.authorization, let session = play.completed else { throw .unexpected }
      let response = try play.tenant.authorizeResponse(to: request, for: session)
      guard request.target.mode == .flow else {
        return request.target.redirection(response).with(cookie: session.token, in: play.tenant.environment)
      }
      return .json([
        "id": play.id, "status": "COMPLETED", "environment": play.tenant.environment.id.reference,
        "session": session.id.reference, "authorizeResponse": JSON.texts(response),
      ])
    }
  }

  /// The end of a failed sign-on.
  ///
  /// A browser is redirected to the application; other clients can still read the result.
  static let failure = FlowPageKind("failure", stays: true) { members throws(FlowFileError) in
    let code = try members.required("code").template()
    let message = try members.required("message").template()
    return { play in
      guard !play.isInBrowser else {
        play.end()
        return play.refusal(.oauth("access_denied", message.text(in: play)))
      }
      let failure = FailureReason(code.text(in: play), message.text(in: play))
      return play.response(status: "FAILED", ["error": failure.json])
    }
  }
}

extension FlowPlay {
  var isInBrowser: Bool { authorization?.target.mode == .query }

  func refusal(_ error: ErrorResponse) -> HTTPResponse {
    authorization?.target.refusal(error, issuer: tenant.issuer) ?? error.response
  }
}

struct SignOnPolicy: Resource, Codable {
  /// Behaviour if a device is required and the user has none.
  enum NoDeviceMode: String, CaseIterable, Codable, Shown {
    case block = "BLOCK"
    case bypass = "BYPASS"
  }

  /// The policy's name, which requests and ID tokens use.
  let id: ID<SignOnPolicy>
  var steps: [String]
  var noDeviceMode = NoDeviceMode.block

  static let maximumCount = 100
  /// The steps that identify the user, and the other steps.
  private static let identifying = ["LOGIN", "IDENTIFIER_FIRST", "EXTERNAL"]
  private static let others = ["MFA", "ASSERTION", "PROFILE", "AGREEMENT", "CONSENT"]

  static let singleFactor = SignOnPolicy(id: ID("Single_Factor"), steps: ["LOGIN"])
  static let multiFactor = SignOnPolicy(id: ID("Multi_Factor"), steps: ["LOGIN", "MFA"])

  private static let fields: [ResourceField<SignOnPolicy>] = [
    ResourceField("name", \.id), ResourceField("steps", \.steps),
    ResourceField("noDeviceMode", \.noDeviceMode, .choice),
  ]

  func json(in tenant: Tenant) -> JSON {
    let isStandard = id == tenant.signOnPolicies.standard.id
    return .object(Self.fields.json(of: self).adding(["default": .bool(isStandard)]))
  }

  mutating func update(from body: Members) throws(ErrorResponse) {
    try Self.fields.update(&self, from: body)
    guard let value = body.value("steps") else { return }
    let (given, known) = ((value.array ?? []).map { $0.string ?? "" }, Self.identifying + Self.others)
    guard !given.isEmpty, given.count <= 16, given.allSatisfy({ known.contains($0) }) else {
      let message = "must be some of \(known.joined(separator: ", "))"
      throw .invalid(body.target("steps"), message, innerError: ["allowedValues": .strings(known)])
    }
    guard Self.identifying.contains(given[0]) else {
      throw body.invalid("steps", "must begin with a step that identifies the user")
    }
    steps = given
  }
}

extension Tenant {
  /// Returns the first known policy that a request names, or the default policy if the request names none.
  func signOnPolicy(for request: CheckedAuthorizationRequest) throws(ErrorResponse) -> SignOnPolicy {
    guard !request.acrValues.isEmpty else { return signOnPolicies.standard }
    let found = request.acrValues.lazy.compactMap { self.signOnPolicies[ID($0)] }.first
    guard let found else { throw .badRequest("the acr_values name no policy or flow") }
    return found
  }
}
