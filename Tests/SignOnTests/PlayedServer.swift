import Authenticator
import Configuration
import ControlAPI
import CourierLink
import CourierProtocol
import EventLoop
import Glibc
import JSON
import TestNetwork
import Time
import UnixSockets
import WebAddress

@testable import SignOn

/// A courier behind a socket that answers as a test's server would, one answer after the other.
@EventLoop
final class PlayedServer {
  /// What the server still answers; without any it does not answer at all.
  var answers: [Answer] = []
  /// What it was asked.
  private(set) var requests: [CourierRequest] = []

  private let directory: TestDirectory
  private let listener: Descriptor
  private let courier: CourierClient
  private let store: Store
  private var watch: Watch?
  private var streams: [StreamConnection] = []

  static let issuer = "https://auth.example/e-1/as"
  static let owner: uid_t = 1000

  /// One answer of the server.
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
    let path = "\(directory.path)/courier.sock"
    listener = try UnixSocket.listen(at: path, mode: 0o600)
    let origin = WebURL(Self.issuer).map { Set([$0.origin]) } ?? []
    courier = CourierClient(.socket(path: path), allowedOrigins: origin)
    store = try Store(directory: directory.path + "/state", credential: "none")
    watch = try EventLoop.watch(listener.number, for: .readable) { [weak self] _ in try? self?.accept() }
  }

  /// A sign-on that asks this server.
  func login(_ parameters: JSON = ["method": "davinci"], configuration text: String = "") throws -> Login {
    let configuration = try Configuration(
      parsing: "issuer = \(Self.issuer)\nclient_id = desk\nredirect_uri = http://127.0.0.1/callback\n\(text)",
      file: "mfad.conf"
    )
    let document: JSON = [
      "issuer": .string(Self.issuer), "token_endpoint": "https://auth.example/e-1/as/token",
      "authorization_endpoint": "https://auth.example/e-1/as/authorize",
    ]
    guard let discovery = Discovery(document, issuer: Self.issuer), let origin = WebURL(Self.issuer)?.origin
    else {
      throw TestProgram.Failure(what: "no issuer")
    }
    let transport = SignOnTransport(courier, origin: origin, acceptLanguage: nil, time: .system)
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
      authenticator: authenticator(configuration),
      configuration: configuration,
      transport: transport,
      client: client,
      time: .system
    )
  }

  /// The bodies that it was sent, as far as they are JSON.
  var bodies: [JSON] { requests.map { (try? JSON(parsing: $0.body)) ?? .null } }

  func stop() {
    watch?.cancel()
    courier.stop()
    for stream in streams { stream.close() }
  }

  private func authenticator(_ configuration: Configuration) -> Authenticator {
    Authenticator(
      store: store,
      platform: AbsentPlatform(),
      configuration: configuration,
      time: .system,
      posture: { [:] }
    )
  }

  private func accept() throws {
    while let connection = try UnixSocket.accept(from: listener) {
      let stream = StreamConnection(connection)
      var reader = CourierFrameReader()
      stream.onBytes = { [weak self, unowned stream] bytes in
        reader.append(bytes)
        while let message = try? reader.next() { self?.take(message, from: stream) }
      }
      try stream.start()
      streams.append(stream)
    }
  }

  private func take(_ message: ArraySlice<UInt8>, from stream: StreamConnection) {
    guard case .request(let id, let request) = try? CourierOrder(parsing: message) else { return }
    requests.append(request)
    guard !answers.isEmpty else { return }
    let answer = answers.removeFirst()
    let response = CourierResponse(status: answer.status, headers: answer.headers, body: answer.body)
    stream.send(CourierFrame.encode(CourierReply.response(id, response).serialized) ?? [])
  }
}

extension CourierRequest {
  /// The value of a header; `nil` if it is not there or more than once.
  func header(_ name: String) -> String? {
    let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    return values.count == 1 ? values[0] : nil
  }
}
