import Configuration
import ControlAPI
import CourierLink
import CourierProtocol
import EventLoop
import Glibc
import JSON
import OpenIDConnect
import TestCourier
import TestNetwork
import Time
import WebAddress

@testable import SignOn

/// A server of pages that gives the responses of a test in order.
@EventLoop
final class PlayedServer {
  /// The remaining responses.
  ///
  /// Without any the server is unreachable.
  var answers: [Answer] = []

  private let directory: TestDirectory
  private let scripted: FakeCourier
  private let courier: CourierClient

  static let issuer = "https://auth.example/e-1/as"
  static let owner: uid_t = 1000
  /// A response of the device authorization endpoint, with the shortest interval.
  static let deviceGrant: JSON = [
    "device_code": "d", "user_code": "ABCD", "verification_uri": "https://auth.example/device", "interval": 1,
  ]

  /// One response of the server.
  struct Answer {
    var status = 200
    var headers: [CourierHeader] = []
    var body: [UInt8] = []

    init(_ json: JSON, status: Int = 200, headers: [(String, String)] = []) {
      (self.status, body) = (status, json.serialized)
      self.headers = headers.map { CourierHeader($0, $1) }
    }

    init(text: String, status: Int = 200) { (self.status, body) = (status, Array(text.utf8)) }
  }

  init() throws {
    directory = try TestDirectory(inMemory: true)
    scripted = try FakeCourier()
    let origin = WebURL(Self.issuer).map { Set([$0.origin]) } ?? []
    courier = CourierClient(.socket(path: scripted.path), allowedOrigins: origin) {}
    scripted.answer { [weak self] _ in
      guard let self, !answers.isEmpty else { return nil }
      let answer = answers.removeFirst()
      return CourierResponse(status: answer.status, headers: answer.headers, body: answer.body)
    }
  }

  /// A sign-on at this server.
  func login(_ parameters: JSON = ["method": "davinci"], configuration text: String = "") throws -> Login {
    let configuration = try Configuration(
      parsing: "issuer = \(Self.issuer)\nclient_id = desk\nredirect_uri = http://127.0.0.1/callback\n\(text)",
      file: "mfad.conf"
    )
    let document: JSON = [
      "issuer": .string(Self.issuer), "token_endpoint": "https://auth.example/e-1/as/token",
      "authorization_endpoint": "https://auth.example/e-1/as/authorize",
      "device_authorization_endpoint": "https://auth.example/e-1/as/device",
    ]
    guard let discovery = ProviderMetadata(document, issuer: Self.issuer),
      let origin = WebURL(Self.issuer)?.origin
    else {
      throw TestProgram.Failure(what: "no issuer")
    }
    let transport = SignOnTransport(courier, origin: origin, owner: 1000, acceptLanguage: nil, time: .system)
    let client = OIDCClient(
      issuer: discovery,
      clientID: "desk",
      redirectURI: "http://127.0.0.1/callback",
      scope: "openid",
      transport: transport,
      time: .system
    )
    return Login(
      id: "l1",
      owner: Self.owner,
      call: try LoginStart(parsing: parameters),
      parts: try SignOnParts(directory: directory.path + "/state", configuration: configuration),
      configuration: configuration,
      transport: transport,
      client: client,
      time: .system
    )
  }

  /// Requests that the server received.
  var requests: [CourierRequest] { scripted.requests }

  /// JSON bodies that the server received.
  var bodies: [JSON] { requests.map { (try? JSON(parsing: $0.body)) ?? .null } }

  func stop() {
    courier.stop()
    scripted.stop()
  }
}
