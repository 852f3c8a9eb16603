internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Vault
internal import WebAddress

extension SignOnService {
  /// A journey with what it needs: its server, and the issuer of its tokens if that is configured.
  ///
  /// It needs nothing of the platform that this machine is paired with.
  func makeJourneyLogin(
    _ call: LoginStart,
    owner: uid_t,
    acceptLanguage: String?
  ) async throws -> Login {
    let configuration = directory.configuration
    guard let server = JourneyServer(configuration) else { throw Self.lacking("journey_server") }
    guard call.journey?.isEmpty == false else { throw RPCError.invalidParameter("journey") }
    let transport = transport(to: server.authenticate.origin, of: owner, acceptLanguage: acceptLanguage)
    var client: OIDCClient?
    // What manages devices does so with the session, and tokens would be one thing more to end.
    if call.devices == nil, let issuer = try issuer(of: call, at: server) {
      client = try await self.client(of: issuer, over: transport)
    }
    return Login(
      id: try OpaqueID.make(),
      owner: owner,
      call: call,
      parts: parts,
      configuration: configuration,
      transport: transport,
      client: client,
      time: time
    )
  }

  /// The issuer of a journey's tokens; `nil` for one that ends without any.
  private func issuer(of call: LoginStart, at server: JourneyServer) throws -> String? {
    let configuration = directory.configuration
    let own = configuration.issuers.filter { WebURL($0)?.origin == server.issuer.origin }
    if let issuer = call.issuer, !own.contains(where: { $0.hasSameBytes(as: issuer) }) {
      throw RPCError.invalidParameter("issuer")
    }
    guard configuration.clientID != nil, configuration.redirectURI != nil, !call.wantsNoSession else {
      return nil
    }
    // Some write the port that is understood.
    return call.issuer ?? own.first { WebURL($0) == server.issuer }
  }

  /// Ends a session with its server; one that is over already is as good.
  func logOut(_ journey: JourneySession, of session: SignOnSession, owner: uid_t) async throws {
    let place = session.issuer.hasSuffix("/authenticate") ? session.issuer.dropLast("authenticate".count) : ""
    guard let realm = WebURL(String(place)) else { throw RPCError.issuerFailed }
    let cookie = directory.configuration.journeyCookie
    try await transport(to: realm.origin, of: owner).logOut(journey, at: realm, cookie: cookie)
  }
}

extension SignOnTransport {
  /// Ends a session with its realm, whose sessions are known by that cookie; one that is over already is as good.
  func logOut(_ session: JourneySession, at realm: WebURL, cookie: String) async throws {
    guard let url = realm.appending(path: "sessions")?.appending(query: [("_action", "logout")]) else {
      throw RPCError.issuerFailed
    }
    let headers = [
      CourierHeader(cookie, session.token), CourierHeader("Content-Type", "application/json"),
      CourierHeader("Accept-API-Version", "resource=3.1, protocol=1.0"),
    ]
    let response = try await send(.post, url, headers: headers, body: Array("{}".utf8))
    guard JourneySession.isOver(after: response.status) else { throw RPCError.issuerFailed }
  }
}
