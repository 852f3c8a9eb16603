import EventLoop
import JSON
import Testing

extension Bench {
  nonisolated var application: String { about["application"]?.string ?? "" }
  nonisolated var applicationPath: String { "/v1/environments/ENV/applications/\(application)" }

  static nonisolated let policies = "/v1/environments/ENV/deviceAuthenticationPolicies"

  /// The default policy as it is.
  func policy() async throws -> JSON {
    let list = try await send("GET", Self.policies)
    let all = list.body["_embedded"]?["deviceAuthenticationPolicies"]?.array ?? []
    return try #require(all.first { $0["default"]?.bool == true })
  }

  func policyPath() async throws -> String {
    "\(Self.policies)/\(try #require(try await policy()["id"]?.string))"
  }

  /// Sets what the default policy says for the application.
  func setRules(_ rules: JSON) async throws {
    let answer = try await send("PUT", try await policyPath(), ["mobile": ["applications": [rules]]])
    #expect(answer.status == 200)
  }

  func setMobile(_ mobile: JSON) async throws {
    let answer = try await send("PUT", applicationPath, ["mobile": mobile])
    #expect(answer.status == 200)
  }

  /// Sets what the OIDC provider's tokens and device grants are like.
  func setOIDC(_ settings: JSON) async throws {
    let answer = try await send("PUT", "/sandbox/oidc", settings)
    #expect(answer.status == 200)
  }

  /// A second native application, and its identifier.
  func secondApplication() async throws -> String {
    let body: JSON = ["name": "Bank", "type": "NATIVE_APP", "mobile": ["packageName": "bank"]]
    let created = try await send("POST", "/v1/environments/ENV/applications", body)
    #expect(created.status == 201)
    return try #require(created.body["id"]?.string)
  }

  func devicesPath(of username: String) throws -> String {
    "/v1/environments/ENV/users/\(try user(username).id)/devices"
  }
}
