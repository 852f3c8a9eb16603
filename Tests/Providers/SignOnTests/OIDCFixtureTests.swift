import ControlAPI
import CourierLink
import CourierProtocol
import EventLoop
import Fixtures
import JSON
import JSONRPC
import OpenIDConnect
import TestCourier
import TestLoop
import Testing
import Time
import WebAddress

@testable import SignOn

/// Responses of PingOne and PingAM from the tests of their client libraries, each with its expected meaning.
@Suite("recorded issuer responses")
struct OIDCFixtureTests {
  private static let pingOne = "authorization token pushedAuthorization keys userinfo revocation endSession"

  /// The accepted endpoints of each document.
  ///
  /// `nil` if the document is rejected.
  private static let discoveries: [(name: String, endpoints: String?)] = [
    // These documents name no issuer.
    ("android-OpenIdConfigurationTest-json--1", nil), ("android-OpenIdConfigurationTest-json--2", nil),
    ("android-journey-openid-configuration", nil), ("ios-davinci-openid-configuration", nil),
    ("fr-discoveryWithPingEndIdp", pingOne + " endIdentityProviderSession deviceAuthorization"),
    ("js-am-wellKnownPing", pingOne + " deviceAuthorization"),
    // The keys are on another server.
    ("js-am-newPiWellKnown", nil),
    ("js-am-wellKnownForgeRock", pingOne),
  ]

  /// The contents of each token response.
  private static let tokens: [(name: String, meaning: String)] = [
    ("android-device-tokenResponseJson", "bearer 3600 openid"),
    // A token of an unknown type cannot be used.
    ("android-journey-token", "failure"), ("ios-davinci-token", "failure"),
    ("fr-OAuth2_Token_Success", "bearer 3598 address openid profile email id refresh"),
    ("fr-OAuth2_Token_Refresh_Success", "bearer 3598 address openid profile email id"),
    ("js-am-oauthTokensExpired", "bearer 1 openid profile me.read id refresh"),
    ("js-am-oauthTokensExpiringSoon", "bearer 20 openid profile me.read id refresh"),
    ("fr-OAuth2_Token_Failure_InvalidClient", "invalid_client: Client authentication failed"),
    ("fr-OAuth2_Token_Failure_InvalidGrant", "invalid_grant: grant is invalid"),
    ("fr-OAuth2_Token_Failure_InvalidScope", "invalid_scope: Unknown/invalid scope(s)"),
    ("android-device-accessDeniedResponse", "access_denied: The user denied the request."),
    ("android-device-pendingResponse", "authorization_pending: The user has not yet approved the request."),
    ("android-device-slowDownResponse", "slow_down: Slow down"),
    // A server error does not state anything about the tokens.
    ("fr-OAuth2_EndSession_Failure", "failure"),
  ]

  private static let pushed = [
    ("android-davinci-par-response", "urn:ietf:params:oauth:request_uri:test-request-uri"),
    ("android-journey-par-response", "urn:ietf:params:oauth:request_uri:test-request-uri"),
    ("js-am-parResponse", "urn:ietf:params:oauth:request_uri:mock-par-request-uri"),
  ]
  private static let claims = [
    ("fr-OAuth2_UserInfo_Success", "james", 19), ("ios-davinci-userinfo", "test-sub", 5),
  ]
  private static let others = [
    "android-device-deviceAuthResponseJson", "fr-OAuth2_AuthorizeRedirect_Failure",
    "fr-OAuth2_AuthorizeRedirect_Success", "fr-OAuth2_Token_Revoke_Success",
  ]

  @Test("every file is in a table")
  func complete() throws {
    let files = try Fixtures.names(in: "oidc").filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    let named =
      Self.discoveries.map(\.name) + Self.tokens.map(\.name) + Self.pushed.map(\.0) + Self.claims.map(\.0)
    #expect(files.count > 30 && (named + Self.others).sorted() == files)
  }

  /// The response of a file: a recorded one, or a body with the status of its kind.
  private static func response(_ name: String) throws -> CourierResponse {
    let json = try Fixtures.json("oidc/\(name).json")
    guard let status = json["response"]?["statusCode"]?.int else {
      return .json(json["error"] == nil ? 200 : 400, json)
    }
    let fields = json["response"]?["headerFields"]?.object?.members ?? []
    return CourierResponse(
      status: status,
      headers: fields.map { CourierHeader($0.name, $0.value.string ?? "") },
      body: json["responsePayload"]?.serialized ?? []
    )
  }

  /// Runs `body` with a client and an issuer that gives the named responses in order.
  private static func withClient<R: Sendable>(
    _ names: [String],
    _ body: @escaping @EventLoop @Sendable (OIDCClient, FakeCourier) async throws -> R
  ) async throws -> R {
    try await TestLoop.run {
      let base = "https://as.example"
      var document: JSONObject = ["issuer": .string(base)]
      for endpoint in ProviderMetadata.Endpoint.allCases {
        document[endpoint.rawValue] = .string("\(base)/\(endpoint.rawValue)")
      }
      let issuer = try #require(ProviderMetadata(.object(document), issuer: base))
      let origin = try #require(WebURL(base)).origin
      let scripted = try FakeCourier()
      var answers = try names.map { try response($0) }
      scripted.answer { _ throws(CourierFailure) in answers.isEmpty ? nil : answers.removeFirst() }
      let courier = CourierClient(.socket(path: scripted.path), allowedOrigins: [origin]) {}
      defer {
        courier.stop()
        scripted.stop()
      }
      let time = TimeSource(now: { Timestamp(seconds: 1_800_000_000) }, uptime: { .seconds(1000) })
      let client = OIDCClient(
        issuer: issuer,
        clientID: "desk",
        redirectURI: "http://localhost",
        scope: "openid",
        transport: SignOnTransport(courier, origin: origin, owner: 1000, acceptLanguage: nil, time: time),
        time: time
      )
      return try await body(client, scripted)
    }
  }

  @Test("issuer metadata yields its endpoints", arguments: discoveries)
  func discovery(name: String, endpoints: String?) throws {
    let json = try Fixtures.json("oidc/\(name).json")
    let document = json["responsePayload"] ?? json
    let issuer = document["issuer"]?.string ?? document["authorization_endpoint"]?.string ?? ""
    let discovery = ProviderMetadata(document, issuer: issuer)
    let found = discovery.map { one in
      ProviderMetadata.Endpoint.allCases.filter { one[$0] != nil }.map { "\($0)" }.joined(separator: " ")
    }
    #expect(found == endpoints)
    #expect(ProviderMetadata(document, issuer: issuer + "/other") == nil)
  }

  @Test("a token response yields its tokens or its error", arguments: tokens)
  func tokenAnswer(name: String, meaning: String) async throws {
    let found = try await Self.withClient([name]) { client, _ in
      do {
        let tokens = try await client.tokens([("grant_type", "authorization_code")])
        let life = tokens.expiresAt.seconds - client.time.now().seconds
        let parts: [String?] = [
          "bearer \(life)", tokens.scope, tokens.idToken.map { _ in "id" },
          tokens.refreshToken.map { _ in "refresh" },
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
      } catch let error as OAuthError { return "\(error.code): \(error.message ?? "")" } catch let error
        as RPCError where error.code == RPCError.issuerFailed.code && error.cause != nil
      {
        return "failure"
      }
    }
    #expect(found == meaning)
  }

  @Test("a refresh response without refresh token and ID token keeps both")
  func refreshed() async throws {
    let names = [
      "fr-OAuth2_Token_Success", "android-device-tokenResponseJson", "fr-OAuth2_Token_Refresh_Success",
    ]
    try await Self.withClient(names) { client, scripted in
      let old = try await client.tokens([("grant_type", "authorization_code")])
      let new = try await client.refresh(old)
      #expect(new.accessToken == "test-access-token" && new.scope == "openid")
      #expect(new.refreshToken == old.refreshToken && new.idToken == old.idToken)
      let newest = try await client.refresh(new)
      #expect(newest.idToken != old.idToken && newest.refreshToken == old.refreshToken)
      let form = JourneyBench.parameters(String(decoding: scripted.requests[1].body, as: UTF8.self))
      #expect(form["grant_type"] == "refresh_token" && form["refresh_token"] == old.refreshToken)
    }
  }

  @Test("a pushed authorization request uses the request_uri of the response", arguments: pushed)
  func pushedRequest(name: String, reference: String) async throws {
    try await Self.withClient([name]) { client, scripted in
      let request = try AuthorizationRequest(
        clientID: "desk",
        redirectURI: "http://localhost",
        scope: "openid",
        responseMode: nil,
        proofKey: ProofKey()
      )
      let url = try await client.authorizationURL(request)
      #expect(JourneyBench.parameters(url.query ?? "") == ["client_id": "desk", "request_uri": reference])
      #expect(String(decoding: scripted.requests[0].body, as: UTF8.self).contains(request.proofKey.challenge))
    }
  }

  @Test("userinfo yields the subject and all claims", arguments: claims)
  func userinfo(name: String, subject: String, count: Int) async throws {
    try await Self.withClient([name]) { client, scripted in
      let tokens = try #require(Tokens(["access_token": "a"], now: client.time.now()))
      let claims = try await client.userinfo(tokens)
      #expect(claims["sub"] == .string(subject) && claims.members.count == count)
      #expect(scripted.requests[0].header("Authorization") == "Bearer a")
    }
  }

  @Test("tokens are revoked, and a failed logout at the issuer is an error")
  func ended() async throws {
    let names = ["fr-OAuth2_Token_Revoke_Success", "fr-OAuth2_EndSession_Failure"]
    try await Self.withClient(names) { client, scripted in
      let answer: JSON = ["access_token": "a", "refresh_token": "r", "id_token": "i"]
      let tokens = try #require(Tokens(answer, now: client.time.now()))
      try await client.revoke(tokens)
      #expect(String(decoding: scripted.requests[0].body, as: UTF8.self) == "client_id=desk&token=r")
      let origin = try #require(WebURL("https://as.example/")?.origin)
      await #expect(throws: RPCError.issuerFailed.withCause(.http, status: 500, at: origin)) {
        try await client.signOff(tokens)
      }
    }
  }

  @Test("a redirect yields parameters only at the redirect URI, and an error response yields none")
  func redirects() throws {
    let response = try Self.response("fr-OAuth2_AuthorizeRedirect_Success")
    let location = try #require(response.values(of: "Location").first)
    func request(_ redirectURI: String) throws -> AuthorizationRequest {
      try AuthorizationRequest(
        clientID: "iosclient",
        redirectURI: redirectURI,
        scope: "openid",
        responseMode: nil,
        proofKey: ProofKey()
      )
    }
    let parameters = try request("http://localhost").response(at: location)
    #expect(parameters.names == ["code", "iss", "state", "client_id"] && parameters["state"] == "abc123")
    for other in ["http://localhost/callback", "http://localhost:81", "org.app://localhost"] {
      #expect(throws: SignOnFailure.redirected) { _ = try request(other).response(at: location) }
    }
    let issuer = try #require(
      ProviderMetadata(["issuer": "http://localhost/oauth2"], issuer: "http://localhost/oauth2")
    )
    #expect(throws: SignOnFailure.stateMismatch, "the state is another's") {
      _ = try request("http://localhost").code(in: parameters, from: issuer)
    }
    let refusal = try Self.response("fr-OAuth2_AuthorizeRedirect_Failure")
    #expect(refusal.status == 400 && refusal.values(of: "Location").isEmpty && OAuthError(refusal) == nil)
  }

  @Test("a device grant shows its URL and is polled at most once a second")
  func deviceGrant() throws {
    let json = try Fixtures.json("oidc/android-device-deviceAuthResponseJson.json")
    let grant = try DeviceGrant(json, now: .seconds(100), allowsLoopbackHTTP: false)
    #expect(grant.deviceCode == "test-device-code" && grant.userCode == "ABCD-1234")
    #expect(grant.address == "https://example.com/device?user_code=ABCD-1234")
    #expect(grant.interval == .seconds(1) && grant.end == .seconds(1900))
  }
}
