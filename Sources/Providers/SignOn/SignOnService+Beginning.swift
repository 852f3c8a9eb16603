internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import OpenIDConnect
internal import Vault
internal import WebAddress

extension SignOnService {
  /// Creates a sign-on from the call, the configuration and the issuer's metadata.
  func makeLogin(_ call: LoginStart, owner: uid_t) async throws -> Login {
    let language = call.locale.map(AcceptLanguage.field)
    if case .some(nil) = language { throw RPCError.invalidParameter("locale") }
    if call.method == .journey {
      return try await makeJourneyLogin(call, owner: owner, acceptLanguage: language ?? nil)
    }
    let issuer = try await issuer(of: call, owner: owner)
    guard let origin = WebURL(issuer)?.origin else { throw RPCError.invalidParameter("issuer") }
    if call.devices != nil, directory.configuration.tenant(of: issuer) == nil { throw RPCError.tenantUnknown }
    let transport = transport(to: origin, of: owner, acceptLanguage: language ?? nil)
    return Login(
      id: try OpaqueID.make(),
      owner: owner,
      call: call,
      parts: parts,
      configuration: directory.configuration,
      transport: transport,
      client: try await client(of: issuer, over: transport, adding: call.devices?.scopes ?? []),
      time: parts.core.time
    )
  }

  /// Creates the OAuth client for an issuer.
  ///
  /// It requests `scopes` in addition to the configured scope.
  func client(
    of issuer: String,
    over transport: SignOnTransport,
    adding scopes: [String] = []
  ) async throws -> OIDCClient {
    let configuration = directory.configuration
    guard let clientID = configuration.clientID, let redirectURI = configuration.redirectURI else {
      throw RPCError.notConfigured
    }
    return OIDCClient(
      issuer: try await directory.metadata(of: issuer),
      clientID: clientID,
      redirectURI: redirectURI,
      scope: ([configuration.scope] + scopes).joined(separator: " "),
      transport: transport,
      time: parts.core.time
    )
  }

  /// Creates the transport for an owner's requests to an origin.
  func transport(to origin: Origin, of owner: uid_t, acceptLanguage: String? = nil) -> SignOnTransport {
    SignOnTransport(
      directory.courier,
      origin: origin,
      owner: owner,
      acceptLanguage: acceptLanguage,
      time: parts.core.time
    )
  }

  /// Returns the error for a missing configuration key that a sign-on method requires.
  static func lacking(_ key: StaticString) -> RPCError {
    RPCError.notConfigured.withMessage("the configuration names no \(key)")
  }

  private func issuer(of call: LoginStart, owner: uid_t) async throws -> String {
    let configuration = directory.configuration
    guard configuration.clientID != nil else { throw RPCError.notConfigured.withCause(.noClientID) }
    guard configuration.redirectURI != nil else { throw Self.lacking("redirect_uri") }
    let issuers = try await acceptedIssuers(for: call, owner: owner)
    guard let issuer = call.issuer ?? issuers.first else { throw Self.lacking("issuer") }
    guard issuers.contains(where: { $0.hasSameBytes(as: issuer) }) else {
      throw RPCError.invalidParameter("issuer")
    }
    return issuer
  }

  /// Returns the issuers that a sign-on may use.
  ///
  /// The pairing platform announces them. Without a platform, and for sign-ons that do not need one, they are
  /// the configured issuers.
  func acceptedIssuers(for call: LoginStart, owner: uid_t) async throws -> [String] {
    let configuration = directory.configuration
    // Device management with a configured issuer works even while the platform is unreachable.
    let needsPlatform = call.devices == nil || configuration.issuers.isEmpty
    guard configuration.hasPlatform, needsPlatform, call.method != .journey else {
      return configuration.issuers
    }
    return try await parts.platform.acceptedIssuers(owner)
  }
}

extension SignOnService {
  /// Creates a journey sign-on: its server and, if configured, the issuer of its tokens.
  ///
  /// It does not use the platform that this machine is paired with.
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
    // Device management uses the session only. Tokens would have to be revoked afterwards, too.
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
      time: parts.core.time
    )
  }

  /// Returns the issuer of a journey's tokens; `nil` if the journey ends without tokens.
  private func issuer(of call: LoginStart, at server: JourneyServer) throws -> String? {
    let configuration = directory.configuration
    let own = configuration.issuers.filter { WebURL($0)?.origin == server.issuer.origin }
    if let issuer = call.issuer, !own.contains(where: { $0.hasSameBytes(as: issuer) }) {
      throw RPCError.invalidParameter("issuer")
    }
    guard configuration.clientID != nil, configuration.redirectURI != nil, !call.wantsNoSession else {
      return nil
    }
    // Comparing as `WebURL` ignores an explicit default port.
    return call.issuer ?? own.first { WebURL($0) == server.issuer }
  }

  /// Ends a session at its server; a session that has already ended is not an error.
  func logOut(_ journey: JourneySession, of session: SignOnSession, owner: uid_t) async throws {
    let place = session.issuer.hasSuffix("/authenticate") ? session.issuer.dropLast("authenticate".count) : ""
    guard let realm = WebURL(String(place)) else { throw RPCError.issuerFailed }
    let cookie = directory.configuration.journeyCookie
    try await transport(to: realm.origin, of: owner).logOut(journey, at: realm, cookie: cookie)
  }
}

extension LoginStart {
  /// Approximate memory of the parameters in bytes.
  var parametersSize: Int {
    parameters.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + Self.overhead }
  }

  /// Memory of the two strings of a parameter, here and in the authorization request.
  private static let overhead = 128
}

extension SignOnTransport {
  /// Ends a session of a realm; `cookie` is the name of the realm's session cookie.
  ///
  /// A session that has already ended is not an error.
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
