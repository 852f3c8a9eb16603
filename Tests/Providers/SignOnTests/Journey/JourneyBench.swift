import Configuration
import ControlAPI
import CourierLink
import CourierProtocol
import EventLoop
import Glibc
import JOSE
import JSON
import JSONRPC
import Journal
import OpenIDConnect
import OpenSSL
import TestCourier
import TestLoop
import TestNetwork
import Time
internal import Vault
import WebAddress

@testable import SignOn

/// mfad's sign-ons with a real store and a scripted PingAM, which is also an issuer of tokens.
///
/// The PingAM
/// gives the responses of a test in order.
@EventLoop
final class JourneyBench {
  /// Timers that a test fires explicitly.
  @EventLoop
  final class Timers {
    var waiting: [(delay: Duration, handler: @EventLoop () -> Void)] = []

    /// Fires the first pending timer.
    func pass() { if !waiting.isEmpty { waiting.removeFirst().handler() } }
  }

  static let owner: uid_t = 1000
  nonisolated static let server = "https://am.example/am"
  nonisolated static let authenticate = "\(server)/json/realms/root/realms/alpha/authenticate"
  nonisolated static let issuer = "\(server)/oauth2/realms/root/realms/alpha"

  /// Responses of `authenticate`, in order.
  var lines: [CourierResponse]
  /// Response of the authorization endpoint.
  ///
  /// `nil` sends a redirect with a code.
  var authorization: (@EventLoop ([String: String]) -> CourierResponse)?
  /// Failure of a request when no response is left.
  var failure = CourierFailure.unreachable
  /// True if authorization requests can be pushed.
  var takesPushedRequests = false

  let service: SignOnService
  let parts: SignOnParts
  /// The service's pending timers.
  let timers = Timers()
  private let courier: FakeCourier
  private let client: CourierClient
  private let directory: TestDirectory
  private let key: PrivateKey
  private var pushed: [String: String] = [:]
  private var nonce: String?

  init(_ lines: [CourierResponse], configuration: String = "") throws {
    Journal.level = .error
    self.lines = lines
    key = try PrivateKey.generateP256()
    directory = try TestDirectory()
    courier = try FakeCourier()
    let text = """
      client_id = desk
      redirect_uri = http://127.0.0.1/callback
      id_token_algorithm = ES256
      allow_loopback_http = yes
      journey_server = \(Self.server)
      journey_cookie = session-cookie
      \(configuration)
      """
    let parsed = try Configuration(parsing: text, file: "mfad.conf")
    client = CourierClient(.socket(path: courier.path), allowedOrigins: parsed.allowedOrigins) {}
    parts = try SignOnParts(
      directory: directory.path + "/state",
      configuration: parsed,
      posture: ["os": ["id": "debian", "version": "12", "kernel": "6.1"]]
    ) { [timers] in timers.waiting.append(($0, $1)) }
    let issuers = IssuerDirectory(courier: client, settings: parts.core.settings, time: .system)
    service = SignOnService(directory: issuers, parts: parts)
    courier.answer { [weak self] request throws(CourierFailure) in
      guard let self else { throw .cancelled }
      guard let response = self.answer(to: request) else { throw failure }
      return response
    }
  }

  /// Runs a test with its own bench.
  nonisolated static func run(
    _ lines: [CourierResponse],
    configuration: String = "",
    _ body: @escaping @EventLoop @Sendable (JourneyBench) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let bench = try JourneyBench(lines, configuration: configuration)
      defer { bench.stop() }
      try await body(bench)
    }
  }

  private func stop() {
    client.stop()
    courier.stop()
  }

  // MARK: Calls of a client

  func start(_ options: JSONObject = [:]) async throws -> Node {
    var parameters: JSONObject = ["method": "journey", "journey": "Login"]
    for member in options.members { parameters[member.name] = member.value.isNull ? nil : member.value }
    return try await service.start(LoginStart(parsing: .object(parameters)), owner: Self.owner)
  }

  func next(_ node: Node, _ values: JSONObject = [:], action: String? = nil) async throws -> Node {
    var parameters: JSONObject = ["login": .string(node.login), "values": .object(values)]
    parameters["action"] = action.map { .string($0) }
    return try await service.next(LoginNext(parsing: .object(parameters)), owner: Self.owner)
  }

  func resume(_ node: Node, _ address: String) async throws -> Node {
    let parameters: JSONObject = ["login": .string(node.login), "uri": .string(address)]
    return try await service.resume(LoginResume(parsing: .object(parameters)), owner: Self.owner)
  }

  // MARK: Requests at the server

  /// Requests of a journey.
  var plays: [CourierRequest] { courier.requests.filter { $0.url.path.hasSuffix("/authenticate") } }

  /// Requests to other endpoints, by the end of their path.
  func requests(_ end: String) -> [CourierRequest] {
    courier.requests.filter { $0.url.path.hasSuffix("/\(end)") }
  }

  private func answer(to request: CourierRequest) -> CourierResponse? {
    switch request.url.path.split(separator: "/").last {
    case "authenticate": return lines.isEmpty ? nil : lines.removeFirst()
    case "sessions": return .json(200, ["result": "Successfully logged out"])
    case "openid-configuration": return .json(200, discovery)
    case "jwk_uri":
      return (try? JWKSet([JWK(key.publicKey, keyID: "k", algorithm: .es256)])).map { .json(200, $0.json) }
    case "par":
      pushed = Self.parameters(String(decoding: request.body, as: UTF8.self))
      return .json(201, ["request_uri": "urn:example:1", "expires_in": 60])
    case "authorize":
      let query = Self.parameters(request.url.query ?? "")
      let parameters = query["request_uri"] == "urn:example:1" ? pushed : query
      nonce = parameters["nonce"]
      return authorization?(parameters)
        ?? .redirect(
          "\(parameters["redirect_uri"] ?? "")?code=c-1&iss=\(FormEncoding.encode(Self.issuer))&state=\(parameters["state"] ?? "")"
        )
    case "access_token": return tokens.map { .json(200, $0) }
    default: return nil
    }
  }

  private var discovery: JSON {
    var document: JSONObject = [
      "issuer": .string(Self.issuer), "authorization_endpoint": .string("\(Self.issuer)/authorize"),
      "token_endpoint": .string("\(Self.issuer)/access_token"),
      "jwks_uri": .string("\(Self.issuer)/connect/jwk_uri"),
    ]
    if takesPushedRequests {
      document["pushed_authorization_request_endpoint"] = .string("\(Self.issuer)/par")
    }
    return .object(document)
  }

  private var tokens: JSON? {
    let now = TimeSource.system.now().seconds
    let claims: JSON = [
      "iss": .string(Self.issuer), "aud": "desk", "sub": "ann", "iat": .int(now), "exp": .int(now + 60),
      "nonce": .string(nonce ?? ""),
    ]
    let idToken = try? CompactJWS.sign(
      payload: claims.serialized,
      type: "JWT",
      keyID: "k",
      with: key,
      algorithm: .es256
    )
    return idToken.map { ["access_token": "a", "token_type": "Bearer", "id_token": .string($0)] }
  }

  static func parameters(_ query: String) -> [String: String] {
    Dictionary(FormEncoding.decode(query) ?? []) { $1 }
  }
}

extension CourierResponse {
  static func json(_ status: Int, _ body: JSON) -> CourierResponse {
    CourierResponse(status: status, headers: [], body: body.serialized)
  }

  static func redirect(_ address: String) -> CourierResponse {
    CourierResponse(status: 302, headers: [CourierHeader("Location", address)], body: [])
  }

  /// A step with these callbacks.
  static func step(_ callbacks: JSON..., more: JSONObject = [:]) -> CourierResponse {
    var object: JSONObject = ["authId": "a", "callbacks": .array(callbacks)]
    for member in more.members { object[member.name] = member.value }
    return .json(200, .object(object))
  }

  /// The end of a journey with a session.
  static let session = CourierResponse.json(
    200,
    ["tokenId": "t-1", "successUrl": "/am/console", "realm": "/alpha"]
  )
}

/// Callbacks at the start of many journeys.
enum Callbacks {
  static let name: JSON = [
    "type": "NameCallback", "_id": 0, "output": [["name": "prompt", "value": "User Name"]],
    "input": [["name": "IDToken1", "value": ""]],
  ]
  static let polling: JSON = [
    "type": "PollingWaitCallback",
    "output": [["name": "waitTime", "value": "200"], ["name": "message", "value": "Waiting"]],
  ]
  static let password: JSON = [
    "type": "PasswordCallback", "_id": 1, "output": [["name": "prompt", "value": "Password"]],
    "input": [["name": "IDToken2", "value": ""]],
  ]
}
