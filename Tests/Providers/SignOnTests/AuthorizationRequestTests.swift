import JSON
import OpenIDConnect
import Testing

@testable import SignOn

@Suite("authorization request and response")
struct AuthorizationRequestTests {
  private static let issuer = "https://auth.example/e-1/as"

  private static func request(
    payload: String? = nil,
    mode: String? = "pi.flow",
    isAnew: Bool = false,
    extra: [(name: String, value: String)] = [("prompt", "login"), ("x_theme", "dark")]
  ) throws -> AuthorizationRequest {
    try AuthorizationRequest(
      clientID: "c",
      redirectURI: "http://127.0.0.1/callback",
      scope: "openid profile",
      responseMode: mode,
      proofKey: ProofKey(),
      mobilePayload: payload,
      isAnew: isAnew,
      extra: extra
    )
  }

  private static func discovery(namesIssuer: Bool = false) throws -> ProviderMetadata {
    let document: JSON = [
      "issuer": .string(issuer), "authorization_response_iss_parameter_supported": .bool(namesIssuer),
    ]
    return try #require(ProviderMetadata(document, issuer: issuer))
  }

  @Test("a request has each parameter once, with its own state and nonce")
  func parameters() throws {
    let (one, two) = (try Self.request(payload: "p.p.p"), try Self.request())
    let names = one.parameters.map(\.0)
    #expect(Set(names).count == names.count)
    let values = Dictionary(one.parameters) { first, _ in first }
    #expect(values["response_type"] == "code" && values["response_mode"] == "pi.flow")
    #expect(values["code_challenge_method"] == "S256" && values["code_challenge"] == one.proofKey.challenge)
    #expect(
      values["state"] == one.state && values["nonce"] == one.nonce && values["mobilePayload"] == "p.p.p"
    )
    #expect(values["prompt"] == "login" && values["x_theme"] == "dark")
    #expect(one.carriesPayload && !two.carriesPayload)
    #expect(Set([one.state, one.nonce, two.state, two.nonce]).count == 4)
    #expect(try !Self.request(mode: nil).parameters.contains { $0.0 == "response_mode" })
  }

  @Test("a forced request sends prompt=login unless the caller sets prompt")
  func anew() throws {
    func prompts(isAnew: Bool, _ extra: [(name: String, value: String)]) throws -> [String] {
      try Self.request(isAnew: isAnew, extra: extra).parameters.filter { $0.0 == "prompt" }.map(\.1)
    }
    #expect(try prompts(isAnew: true, []) == ["login"])
    #expect(try prompts(isAnew: true, [("prompt", "consent login")]) == ["consent login"])
    #expect(try prompts(isAnew: false, []) == [])
  }

  @Test("extra parameters cannot replace those of the request or change its meaning")
  func clashes() throws {
    for (name, _) in try Self.request(payload: "p").parameters.dropLast(2) {
      #expect(!AuthorizationRequest.mayAdd(name), "\(name)")
    }
    for name in ["request", "request_uri", "claims", "client_secret", "max_age", "id_token_hint", ""] {
      #expect(!AuthorizationRequest.mayAdd(name), "\(name)")
    }
    for name in ["prompt", "login_hint", "ui_locales", "acr_values", "x_theme", "population"] {
      #expect(AuthorizationRequest.mayAdd(name), "\(name)")
    }
  }

  @Test("the code is accepted with the right state, and with the right issuer if present")
  func code() throws {
    let request = try Self.request()
    var response: JSONObject = ["state": .string(request.state), "code": "abc"]
    #expect(try request.code(in: response, from: Self.discovery()) == "abc")
    response["iss"] = .string(Self.issuer)
    #expect(try request.code(in: response, from: Self.discovery()) == "abc")
  }

  @Test("a redirect must name the issuer if the metadata says so, and a direct response need not")
  func silentIssuer() throws {
    let redirected = try Self.request(mode: nil)
    let response: JSONObject = ["state": .string(redirected.state), "code": "abc"]
    #expect(try redirected.code(in: response, from: Self.discovery()) == "abc")
    #expect(throws: SignOnFailure.stateMismatch) {
      try redirected.code(in: response, from: Self.discovery(namesIssuer: true))
    }
    let direct = try Self.request()
    let answer: JSONObject = ["state": .string(direct.state), "code": "abc"]
    #expect(try direct.code(in: answer, from: Self.discovery(namesIssuer: true)) == "abc")
  }

  @Test("a response with wrong state or issuer, an error or no code is rejected")
  func refused() throws {
    let request = try Self.request()
    let state = JSON.string(request.state)
    let cases: [(JSONObject, SignOnFailure)] = [
      (["code": "c"], .stateMismatch), (["code": "c", "state": "x"], .stateMismatch),
      (["code": "c", "state": [state]], .stateMismatch),
      (["code": "c", "state": .string(String(request.state.dropLast()))], .stateMismatch),
      (["code": "c", "state": state, "iss": "https://evil.example"], .stateMismatch),
      (["code": "c", "state": state, "iss": .null], .stateMismatch),
      (["state": state], .noCode), (["state": state, "code": ""], .noCode),
      (["state": state, "code": 1], .noCode),
      (
        ["state": state, "code": "c", "error": "access_denied"],
        SignOnFailure("DENIED", "access_denied")
      ),
      (
        ["state": state, "error": "x", "error_description": "no\u{202E} entry"], .refused("no entry")
      ),
    ]
    for (response, failure) in cases {
      #expect(throws: failure, "\(JSON.object(response).text)") {
        try request.code(in: response, from: Self.discovery())
      }
    }
  }
}
