import AMEnrolments
import Accounts
import Approvals
import ControlAPI
import CourierProtocol
import EventLoop
import Glibc
import JOSE
import JSON
import JSONRPC
import OATHExports
import OpenSSL
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@testable import PingAM

/// Actions of a user of the machine and of a server.
extension AMBench {
  /// The secret and the mechanism of the vectors.
  nonisolated static let secret = Array<UInt8>(0...31)
  nonisolated static let mechanism = "5E0C4C0E-2B7B-4D7E-9B0C-3C1E5B3B7A11"
  nonisolated static let challenge = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
  nonisolated static let messageID = "AUTHENTICATE:3f2b8c1e-0a5d-4a57-8a1d-6f7e0c1b2a3d1763712000000"

  func enrol(_ uri: String = AMSample.uri()) async throws -> Account {
    let account = try await life.accounts.enrolments.enrol(uri, owner: Self.owner)
    try life.vault.commit()
    return account
  }

  /// Creates an account with the given secret and mechanism, as an enrolment does.
  @discardableResult
  func own(_ secret: String = Base64.encode(AMBench.secret), _ mechanism: String = AMBench.mechanism) throws
    -> String
  {
    let enrolment = try AMEnrolment(KeyURI(AMSample.uri(["s": secret])))
    return try life.vault.write { _ in
      let account = try life.accounts.insert(
        kind: .pushAM,
        owner: Self.owner,
        state: .active,
        issuer: enrolment.issuer,
        label: mechanism,
        identityKey: [mechanism]
      )
      try life.am.table.insert(AMPushCredential(enrolment, mechanism: mechanism), of: account)
      return account.id
    }
  }

  /// A push as a transport delivers it, with `changes` to its claims.
  ///
  /// `null` removes a claim.
  func push(_ changes: JSONObject = [:], id: String = AMBench.messageID) throws -> JSON {
    var claims: JSONObject = [
      "u": .string(Self.mechanism), "l": "YW1sYmNvb2tpZT0wMQ==",
      // Each push has its own challenge.
      "c": .string(id == Self.messageID ? Self.challenge : Base64.encode(Array(id.utf8.prefix(64)))),
      "m": "Login attempt from bob at ForgeRock",
      "k": "default", "i": .string("\(clock.now.milliseconds)"), "t": "120", "d": "bob", "p": "{  }",
    ]
    for member in changes.members { claims[member.name] = member.value.isNull ? nil : member.value }
    return try envelope(claims, id: id)
  }

  func envelope(_ claims: JSONObject, id: String) throws -> JSON {
    let payload = JSON.object(claims).serialized
    let token = try CompactJWS.sign(payload: payload, type: "JWT", with: Secret(copying: Self.secret))
    return ["messageId": .string(id), "message": .string(token)]
  }

  @discardableResult
  func receive(_ payload: JSON, owner: uid_t = AMBench.owner) throws -> NotificationObject {
    let push = try #require(try life.approvals.process(payload, owner: owner))
    try life.vault.commit()
    return push
  }

  func approve(_ id: String, number: Int? = nil) async throws -> NotificationResult {
    try await naming {
      try await self.life.approvals.approve(id, method: "user", number: number, owner: Self.owner)
    }
  }

  func deny(_ id: String) async throws -> NotificationResult {
    try await naming { try await self.life.approvals.deny(id, reason: "NONE", owner: Self.owner) }
  }

  /// Throws the error that the owner gets.
  private func naming<R>(_ body: @EventLoop () async throws -> R) async throws -> R {
    do { return try await body() } catch { throw RPCError(naming: error) }
  }

  func state(of id: String) throws -> NotificationObject.State {
    try #require(life.approvals.notification(id, of: Self.owner).state.choice)
  }

  /// Returns the body of a request to the server and the claims of its token.
  ///
  /// Verifies the token with
  /// `secret`.
  func heard(_ request: CourierRequest, secret: [UInt8] = AMBench.secret) throws -> (
    body: JSON, claims: JSONObject
  ) {
    let body = try JSON(parsing: request.body)
    let token = try CompactJWS(parsing: try #require(body["jwt"]?.string))
    #expect(token.header.members == ["typ": "JWT", "alg": "HS256"])
    return (body, try token.verified(with: JWK(Secret(copying: secret)), allowing: [.hs256]).claims())
  }

  func lastHeard() throws -> (body: JSON, claims: JSONObject) { try heard(#require(requests.last)) }
}

extension CourierRequest {
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Enrolment URIs as a server writes them, with `changes` to their parameters.
enum AMSample {
  static let endpoint = "https://am.example/am/json/alpha/push/sns/message"
  static let registration = "REGISTER:6f1d3b1e-5b1b-4f0c-8a53-0d0c9a0d7e111763712000000"

  static func uri(
    _ changes: [String: String?] = [:],
    label: String = "Acme:bob",
    scheme: String = "pushauth://push"
  ) -> String {
    var parameters: [String: String?] = [
      "l": "YW1sYmNvb2tpZT0wMQ", "issuer": "QWNtZQ", "m": registration,
      "s": Base64.encode(AMBench.secret), "c": "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8",
      "r": encoded("\(endpoint)?_action=register"), "a": encoded("\(endpoint)?_action=authenticate"),
      "uid": "YjBiLXVpZA", "b": "032b75", "image": "",
    ]
    for (name, value) in changes { parameters[name] = value }
    let pairs = parameters.sorted { $0.key < $1.key }.compactMap { name, value in
      value.map { "\(name)=\($0)" }
    }
    return "\(scheme)/\(label)?\(pairs.joined(separator: "&"))"
  }

  /// An enrolment URI for both push and passcodes.
  static func combined(_ changes: [String: String?] = [:]) -> String {
    uri(
      ["secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "digits": "6", "period": "30"].merging(changes) { $1 },
      scheme: "mfauth://totp"
    )
  }

  static func encoded(_ text: String) -> String { Base64.encode(Array(text.utf8)) }
}

extension AMSample {
  static func decoded(_ text: String) -> [UInt8]? { Base64.decode(text) }
}
