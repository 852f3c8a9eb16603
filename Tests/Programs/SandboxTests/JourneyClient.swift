import EventLoop
import JOSE
import JSON
import OpenSSL
import TestHTTP
import Testing
import WebAddress

/// A client that plays journeys in the realm alpha.
@EventLoop
final class JourneyClient {
  let bench: Bench
  var language = "en"
  var query = ""
  /// The current step.
  private(set) var step: JSON = .null
  /// Name and token of the session cookie.
  private(set) var cookie = ""
  var session: String?
  let verifier = String(repeating: "w", count: 43)

  static nonisolated let base = "/am/json/realms/root/realms/alpha"
  static nonisolated let provider = "/am/oauth2/realms/root/realms/alpha"

  init(_ bench: Bench) async throws {
    self.bench = bench
    let information = try await send("GET", "\(Self.base)/serverinfo/*")
    cookie = try #require(information.body["cookieName"]?.string)
  }

  func send(
    _ method: String,
    _ target: String,
    _ body: JSON? = nil,
    form: [(String, String)]? = nil,
    bearer: String? = nil,
    match: String? = nil
  ) async throws -> Answer {
    var headers = [("Accept-API-Version", "resource=2.1, protocol=1.0"), ("Accept-Language", language)]
    if let session { headers.append((cookie, session)) }
    if let bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
    if let match { headers.append(("If-Match", match)) }
    if body != nil { headers.append(("Content-Type", "application/json")) }
    if form != nil { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
    let answer = try await TestHTTPClient.send(
      method,
      target,
      port: bench.port,
      headers: headers,
      body: body?.serialized ?? form.map { Array(FormEncoding.encode($0).utf8) } ?? []
    )
    return Answer(
      status: answer.status,
      body: (try? JSON(parsing: answer.body)) ?? .null,
      headers: answer.headers,
      text: answer.text
    )
  }

  @discardableResult
  func start(_ journey: String, _ more: String = "") async throws -> Answer {
    let query = "authIndexType=service&authIndexValue=\(journey)\(more)"
    return show(try await send("POST", "\(Self.base)/authenticate?\(query)", [:]))
  }

  func resume(_ id: String) async throws -> Answer {
    show(try await send("POST", "\(Self.base)/authenticate?suspendedId=\(id)", [:]))
  }

  private func show(_ answer: Answer) -> Answer {
    if answer.body["authId"] != nil { step = answer.body }
    if let token = answer.body["tokenId"]?.string { session = token }
    return answer
  }

  /// Sends a step unchanged.
  func post(_ step: JSON) async throws -> Answer {
    show(try await send("POST", "\(Self.base)/authenticate\(query)", step))
  }

  /// Answers the step with values by input name.
  @discardableResult
  func next(_ values: JSONObject = [:]) async throws -> Answer { try await post(filled(values)) }

  func filled(_ values: JSONObject) -> JSON {
    var filled = step.object ?? [:]
    let callbacks = (step["callbacks"]?.array ?? []).map { callback -> JSON in
      guard let inputs = callback["input"]?.array, var object = callback.object else { return callback }
      object["input"] = .array(
        inputs.map { input in
          let name = input["name"]?.string ?? ""
          return ["name": .string(name), "value": values[name] ?? input["value"] ?? ""]
        }
      )
      return .object(object)
    }
    filled["callbacks"] = .array(callbacks)
    return .object(filled)
  }

  /// An output of the callback at this index.
  func output(_ index: Int, _ name: String) -> JSON? {
    let callbacks = step["callbacks"]?.array ?? []
    guard callbacks.indices.contains(index) else { return nil }
    return callbacks[index]["output"]?.array?.first { $0["name"]?.string == name }?["value"]
  }

  /// Parameters of an authorization request.
  func request() throws -> [(String, String)] {
    let challenge = Base64URL.encode(try digest(Array(verifier.utf8), .sha256))
    return [
      ("client_id", bench.clientID), ("response_type", "code"), ("scope", "openid profile"),
      ("redirect_uri", "http://127.0.0.1:7777/callback"), ("state", "s1"), ("nonce", "n1"),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]
  }

  func authorize() async throws -> Answer {
    try await send("GET", "\(Self.provider)/authorize?\(FormEncoding.encode(try request()))")
  }

  func tokens(_ code: String, at path: String = "\(provider)/access_token") async throws -> Answer {
    try await send(
      "POST",
      path,
      form: [
        ("grant_type", "authorization_code"), ("client_id", bench.clientID), ("code", code),
        ("redirect_uri", "http://127.0.0.1:7777/callback"), ("code_verifier", verifier),
      ]
    )
  }
}
