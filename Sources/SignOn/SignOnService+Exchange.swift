internal import Authenticator
internal import Configuration
internal import ControlAPI
internal import CourierLink
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import OpenSSL
internal import WebAddress

extension SignOnService {
  private static let formType = "application/x-www-form-urlencoded"

  /// Sends the authorization request so that its parameters stand in no URL: pushed if the issuer can, else as a
  /// form (RFC 9126; OpenID Connect Core section 3.1.2.1).
  func authorize(_ login: Login, _ request: [(String, String)], clientID: String) async throws -> JSON {
    guard let endpoint = login.issuer.authorization else { throw RPCError.serverError }
    var parameters = request
    if let pushEndpoint = login.issuer.pushedAuthorization {
      let response = try await post(form: request, to: pushEndpoint, login)
      guard response.status == 201, let json = try? JSON(parsing: response.body),
        let uri = json["request_uri"]?.string
      else { throw RPCError.serverError }
      parameters = [("client_id", clientID), ("request_uri", uri)]
    }
    let response = try await post(form: parameters, to: endpoint, login)
    guard response.status == 200, let json = try? JSON(parsing: response.body) else {
      throw RPCError.serverError
    }
    return json
  }

  /// What a flow's answer means: a further step, the end, or something that cannot be gone on with.
  func node(for document: JSON, of login: Login) async throws -> Node {
    guard let flow = Flow(document, origin: login.origin) else { throw finish(login, .serverError) }
    login.flow = flow
    guard flow.status == "COMPLETED" else {
      return SignOnPolicy.node(for: flow, of: login) ?? failure(login, SafeText.clean(flow.status))
    }
    return try await complete(login, flow)
  }

  /// Fetches the code of a completed flow, exchanges it, and verifies the token that comes.
  private func complete(_ login: Login, _ flow: Flow) async throws -> Node {
    // A code counts once: whatever happens from here, the sign-on is over.
    defer { end(login) }
    guard let resume = flow.resume else { throw RPCError.serverError }
    let response = try await send(CourierRequest(.get, resume), login)
    guard response.status == 200, let json = try? JSON(parsing: response.body),
      let code = authorizationCode(json["authorizeResponse"] ?? json, login)
    else { throw RPCError.serverError }
    let text = try await idToken(for: code, login)
    let token = try await directory.verify(
      text,
      issuers: [login.issuer.issuer],
      nonce: login.nonce,
      owner: login.owner
    )
    let pairing = try await authenticator.pairingRequest(of: token, owner: login.owner)
    var node = Node(login: login.id, outcome: .success, method: "signon")
    node.user = token.user
    node.pairing = .some(pairing)
    return node
  }

  /// The code of an authorization response that belongs to this sign-on, RFC 9207 included.
  private func authorizationCode(_ response: JSON, _ login: Login) -> String? {
    guard let state = response["state"]?.string,
      constantTimeEqual(Array(state.utf8), Array(login.state.utf8)),
      response["iss"].map({ $0 == .string(login.issuer.issuer) }) ?? true
    else { return nil }
    return response["code"]?.string
  }

  private func idToken(for code: String, _ login: Login) async throws -> String {
    guard let endpoint = login.issuer.token, let clientID = directory.configuration.clientID,
      let redirect = directory.configuration.redirectURI
    else { throw RPCError.serverError }
    let form = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
      ("client_id", clientID), ("code_verifier", login.proofKey.verifier),
    ]
    let response = try await post(form: form, to: endpoint, login)
    guard response.status == 200, let json = try? JSON(parsing: response.body),
      let token = json["id_token"]?.string
    else { throw RPCError.serverError }
    return token
  }

  private func post(
    form: [(String, String)],
    to url: WebURL,
    _ login: Login
  ) async throws -> CourierResponse {
    try await post(Array(FormEncoding.encode(form).utf8), as: Self.formType, to: url, login)
  }

  /// Sends a body of a media type.
  func post(
    _ body: [UInt8],
    as mediaType: String,
    to url: WebURL,
    _ login: Login
  ) async throws -> CourierResponse {
    let headers = [CourierHeader("Content-Type", mediaType)]
    return try await send(CourierRequest(.post, url, headers: headers, body: body), login)
  }

  /// Sends a request of a sign-on with its cookies, to its issuer's origin only.
  private func send(_ request: CourierRequest, _ login: Login) async throws -> CourierResponse {
    guard request.url.origin == login.origin else { throw RPCError.serverError }
    var request = request
    request.headers.append(CourierHeader("Accept", "application/json"))
    request.headers.append(CourierHeader("X-Requested-With", "ping-sdk"))
    if let language = login.acceptLanguage {
      request.headers.append(CourierHeader("Accept-Language", language))
    }
    if let cookies = login.cookies.field { request.headers.append(CourierHeader("Cookie", cookies)) }
    let response: CourierResponse
    do { response = try await directory.courier.send(request) } catch { throw error.rpcError }
    for cookie in response.values(of: "Set-Cookie") { login.cookies.take(cookie) }
    guard response.status < 500 else { throw RPCError.serverError }
    return response
  }
}
