import EventLoop
import FoundationEssentials
import JOSE
import JSON
import OpenSSL
import Testing

@testable import Sandbox

/// An authenticator that an AM journey enrols, with the URI from its hidden value.
@EventLoop
struct AMDevice {
  let client: JourneyClient
  /// The raw parameters of the URI.
  let parameters: [String: String]
  let address: String
  let mechanism = "5E0C4C0E-2B7B-4D7E-9B0C-3C1E5B3B7A11"

  /// Signs a user on and starts an enrolment with the choice of this index.
  init(_ bench: Bench, as username: String = "ann", choice: Int) async throws {
    client = try await JourneyClient(bench)
    try await client.signOn("am-registration", username)
    try await client.next(["IDToken1": .int(choice)])
    address = try #require(client.output(2, "value")?.string)
    #expect(client.output(2, "id") == "mfaDeviceRegistration")
    let query = try #require(address.split(separator: "?", maxSplits: 1).last)
    parameters = Dictionary(
      query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), String(parts[1]))
      }
    ) { $1 }
  }

  func bytes(_ name: String) throws -> [UInt8] { try #require(Base64URL.decode(parameters[name] ?? "?")) }

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  func response(to challenge: [UInt8]) throws -> JSON {
    let code = try HMACContext(.sha256, key: Secret(copying: bytes("s"))).code(for: challenge)
    return .string(Data(code).base64EncodedString())
  }

  func sign(_ claims: JSONObject, with secret: [UInt8]? = nil, algorithm: JSON = "HS256") throws -> JSON {
    let header: JSON = ["typ": "JWT", "alg": algorithm]
    let text = [header, .object(claims)].map { Base64URL.encode($0.serialized) }.joined(separator: ".")
    let context = try HMACContext(.sha256, key: Secret(copying: secret ?? bytes("s")))
    return .string("\(text).\(Base64URL.encode(try context.code(for: Array(text.utf8))))")
  }

  func send(_ action: String, _ body: JSON, base: String = "/am/json/alpha") async throws -> Answer {
    try await client.send("POST", "\(base)/push/sns/message?_action=\(action)", body)
  }

  /// The registration message, with changes to its claims.
  func registration(_ more: JSONObject = [:], secret: [UInt8]? = nil) throws -> JSON {
    var claims: JSONObject = [
      "response": try response(to: try bytes("c")), "mechanismUid": .string(mechanism), "deviceId": "token",
      "deviceType": "android", "communicationType": "gcm", "deviceName": "desk",
    ]
    for member in more.members { claims[member.name] = member.value }
    return ["messageId": .string(parameters["m"] ?? ""), "jwt": try sign(claims, with: secret)]
  }

  /// An enrolled push authenticator, after the end of its journey.
  static func enrolled(_ bench: Bench, as username: String = "ann") async throws -> AMDevice {
    let device = try await AMDevice(bench, as: username, choice: 0)
    let registered = try await device.send("register", try device.registration())
    #expect(registered.status == 200)
    let done = try await device.client.next()
    #expect(done.body["tokenId"] != nil)
    return device
  }

  /// Returns id and claims of the newest message of AM, after checking its signature.
  func message() async throws -> (id: JSON, claims: JSONObject) {
    let list = try await client.bench.send("GET", "/sandbox/am/messages")
    let newest = try #require(list.body["messages"]?.array?.last)
    let claims = try SharedSecretJWT(try bytes("s")).claims(of: newest["message"]?.string ?? "")
    #expect(newest["mechanismUid"]?.string == mechanism && claims?["u"]?.string == mechanism)
    return (try #require(newest["messageId"]), try #require(claims))
  }

  func answer(_ message: (id: JSON, claims: JSONObject), _ more: JSONObject = [:]) async throws -> Answer {
    let challenge = try #require(Data(base64Encoded: message.claims["c"]?.string ?? "?"))
    var claims: JSONObject = ["response": try response(to: Array(challenge))]
    for member in more.members { claims[member.name] = member.value }
    return try await send("authenticate", ["messageId": message.id, "jwt": try sign(claims)])
  }
}

extension JourneyClient {
  func signOn(_ journey: String, _ username: String = "ann") async throws {
    session = nil
    try await start(journey)
    let password = try bench.user(username).password
    try await next(["IDToken1": .string(username), "IDToken2": .string(password)])
  }
}
