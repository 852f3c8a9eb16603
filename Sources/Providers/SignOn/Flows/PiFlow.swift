internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSONRPC

/// A sign-on in PingOne's response mode `pi.flow`, in which the authorization endpoint answers in JSON.
///
/// A setting of the application at PingOne selects a sign-on policy or a DaVinci flow. The first response
/// shows the selected kind.
@EventLoop
final class PiFlow: SignOnFlow {
  private let login: Login
  private let expected: LoginMethod
  /// Processes the steps; set after the first response.
  private var flow: (any StepPlayer)?

  /// Headers that make the endpoints answer in JSON.
  static let headers = [
    CourierHeader("X-Requested-With", "ping-sdk"), CourierHeader("X-Requested-Platform", "javascript"),
  ]

  init(_ login: Login, method: LoginMethod) throws { (self.login, expected) = (login, method) }

  var method: LoginMethod { flow?.method ?? expected }

  func start() async throws -> Step {
    let client = try login.requireClient()
    let request = try await login.makeRequest(responseMode: "pi.flow", pairs: true)
    try login.restoreCookies()
    let response = try await client.authorize(request, headers: Self.headers)
    // The server rejected the authorization request, so there are no steps.
    if (400..<500).contains(response.status), let error = OAuthError(response) {
      throw SignOnFailure.refused(error)
    }
    if response.status == 200, PolicyStep.describes(try response.document) {
      let policy = SignOnPolicyFlow(login)
      flow = policy
      return try await policy.take(response)
    }
    let pages = DaVinciFlow(login)
    flow = pages
    return try await pages.take(response)
  }

  func next(_ input: StepInput) async throws -> Step {
    guard let flow else { throw RPCError.conflict }
    return try await flow.next(input)
  }

  func resume(_ address: String) async throws -> Step {
    guard let flow else { throw RPCError.conflict }
    return try await flow.resume(address)
  }

  func end() { flow?.end() }
}
