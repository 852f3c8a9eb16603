import EventLoop
import Glibc
import JOSE
import JSON
import OpenSSL
import Sandbox
import TestHTTP
import TestLoop
import Testing
import WebAddress

extension Bench {
  /// Path of the repository's flows.
  static nonisolated let flows =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
    + "/Sources/Programs/Sandbox/Flows"

  /// Runs a test with a sandbox that plays the repository's flows, or the flow in this text.
  nonisolated static func run(
    flow: String? = nil,
    _ body: @escaping @EventLoop @Sendable (Bench) async throws -> Void
  ) async throws {
    try await withFlows(flow) { directory in
      try await TestLoop.run {
        await SandboxSlots.take()
        defer { SandboxSlots.release() }
        let server = try SandboxServer(flows: directory)
        defer { server.stop() }
        try await body(Bench(server))
      }
    }
  }

  /// Passes the directory of the repository's flows, or of a single file with this text.
  nonisolated static func withFlows(_ flow: String?, _ body: (String) async throws -> Void) async throws {
    guard let flow else { return try await body(flows) }
    let directory = "/tmp/sandbox-flows.\(getpid()).\(UInt64.random(in: 0 ... .max))"
    try #require(mkdir(directory, 0o700) == 0)
    let path = "\(directory)/flow.json"
    defer {
      unlink(path)
      rmdir(directory)
    }
    let file = try #require(fopen(path, "we"))
    fputs(flow, file)
    fclose(file)
    try await body(directory)
  }
}

/// A client that plays DaVinci flows and stores cookies.
@EventLoop
final class FlowClient {
  let bench: Bench
  var cookies: [String: String] = [:]
  var headers: [(String, String)] = [("x-requested-with", "ping-sdk"), ("Accept-Language", "en")]
  var parameters: [String: String]
  /// The current page.
  private(set) var page: JSON = .null
  let verifier = String(repeating: "v", count: 43)

  init(_ bench: Bench, _ flow: String) throws {
    self.bench = bench
    parameters = [
      "client_id": bench.clientID, "response_type": "code", "response_mode": "pi.flow",
      "scope": "openid profile", "redirect_uri": "http://127.0.0.1:7777/callback", "state": "s1",
      "nonce": "n1", "code_challenge": Base64URL.encode(try digest(Array(verifier.utf8), .sha256)),
      "code_challenge_method": "S256", "acr_values": flow,
    ]
  }

  /// Sends a request with the cookies and stores new ones.
  func send(
    _ method: String,
    _ target: String,
    type: String? = nil,
    body: [UInt8] = [],
    more: [(String, String)] = []
  ) async throws -> TestHTTPAnswer {
    var headers = headers + more
    if !cookies.isEmpty {
      headers.append(("Cookie", cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
    }
    if let type { headers.append(("Content-Type", type)) }
    let path = target.hasPrefix(bench.url) ? String(target.dropFirst(bench.url.count)) : target
    let answer = try await TestHTTPClient.send(method, path, port: bench.port, headers: headers, body: body)
    for (name, value) in answer.headers where name == "set-cookie" {
      let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
      if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
    }
    return answer
  }

  private func json(_ answer: TestHTTPAnswer) throws -> Answer {
    Answer(status: answer.status, body: try JSON(parsing: answer.body), headers: answer.headers)
  }

  @discardableResult
  func start() async throws -> Answer {
    let query = FormEncoding.encode(parameters.map { ($0.key, $0.value) })
    return try show(try json(try await send("GET", "/\(bench.environment)/as/authorize?\(query)")))
  }

  private func show(_ answer: Answer) throws -> Answer {
    if answer.body["_links"]?["next"] != nil { page = answer.body }
    return answer
  }

  /// Answers the page.
  @discardableResult
  func next(
    _ values: JSONObject = [:],
    action: String = "submit",
    event: String = "submit",
    id: String? = nil
  ) async throws -> Answer {
    let body: JSON = [
      "id": .string(id ?? page["id"]?.string ?? ""), "eventName": "continue",
      "interactionId": page["interactionId"] ?? "",
      "parameters": [
        "eventType": .string(event),
        "data": ["actionKey": .string(action), "formData": .object(values)],
      ],
    ]
    let target = try #require(page["_links"]?["next"]?["href"]?.string)
    return try show(try json(try await send("POST", target, type: "application/json", body: body.serialized)))
  }

  @discardableResult
  func post(_ target: String, _ body: JSON = [:], _ more: [(String, String)] = []) async throws -> Answer {
    let answer = try await send("POST", target, type: "application/json", body: body.serialized, more: more)
    return try show(try json(answer))
  }

  /// The field with this key or type.
  func field(_ name: String) -> JSON? {
    page["form"]?["components"]?["fields"]?.array?.first {
      $0["key"]?.string == name || $0["type"]?.string == name
    }
  }

  /// Exchanges the code of a success and returns the ID token's claims.
  func claims(_ success: Answer) async throws -> JSONObject {
    #expect(success.body["authorizeResponse"]?["state"] == "s1")
    let body = FormEncoding.encode([
      ("grant_type", "authorization_code"), ("client_id", bench.clientID),
      ("code", try #require(success.body["authorizeResponse"]?["code"]?.string)),
      ("redirect_uri", "http://127.0.0.1:8888/callback"), ("code_verifier", verifier),
    ])
    let tokens = try json(
      try await send(
        "POST",
        "/\(bench.environment)/as/token",
        type: "application/x-www-form-urlencoded",
        body: Array(body.utf8)
      )
    )
    #expect(tokens.status == 200)
    let token = try CompactJWS(parsing: try #require(tokens.body["id_token"]?.string))
    let keys = try JWKSet(try await bench.send("GET", "/ENV/as/jwks").body)
    return try token.verified(with: keys, allowing: [.rs256]).claims()
  }

  /// The last message sent by mail.
  func mail() async throws -> JSON {
    let answer = try await bench.send("GET", "/sandbox/messages")
    return try #require(answer.body["messages"]?.array?.last)
  }
}
