internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import PingOne
internal import Vault
internal import WebAddress

extension SignOnService {
  /// A sign-on with what it needs of the configuration and of its issuer.
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
      time: time
    )
  }

  /// The daemon as a client of an issuer.
  ///
  /// `scopes` are asked for besides those of the configuration.
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
      issuer: try await directory.discovery(of: issuer),
      clientID: clientID,
      redirectURI: redirectURI,
      scope: ([configuration.scope] + scopes).joined(separator: " "),
      transport: transport,
      time: time
    )
  }

  /// What carries an owner's requests to an origin.
  func transport(to origin: Origin, of owner: uid_t, acceptLanguage: String? = nil) -> SignOnTransport {
    SignOnTransport(
      directory.courier,
      origin: origin,
      owner: owner,
      acceptLanguage: acceptLanguage,
      time: time
    )
  }

  /// What of the configuration a way to sign on cannot do without.
  static func lacking(_ key: StaticString) -> RPCError {
    RPCError.notConfigured.saying("the configuration names no \(key)")
  }

  private func issuer(of call: LoginStart, owner: uid_t) async throws -> String {
    let configuration = directory.configuration
    guard configuration.clientID != nil else { throw RPCError.notConfigured.because(.noClientID) }
    guard configuration.redirectURI != nil else { throw Self.lacking("redirect_uri") }
    let issuers = try await acceptedIssuers(for: call, owner: owner)
    guard let issuer = call.issuer ?? issuers.first else { throw Self.lacking("issuer") }
    guard issuers.contains(where: { $0.hasSameBytes(as: issuer) }) else {
      throw RPCError.invalidParameter("issuer")
    }
    return issuer
  }

  /// The issuers of the configuration, and where a platform may pair, those that it announces.
  func acceptedIssuers(for call: LoginStart, owner: uid_t) async throws -> [String] {
    let configuration = directory.configuration
    // What needs no platform has to work where there is none, or where it cannot be reached.
    let needsPlatform = call.devices == nil || configuration.issuers.isEmpty
    guard configuration.hasPlatform, needsPlatform, call.method != .journey else {
      return configuration.issuers
    }
    return try await parts.devices.acceptedIssuers(of: owner)
  }
}
