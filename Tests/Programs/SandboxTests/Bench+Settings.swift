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

  func setPolicy(_ body: JSON) async throws {
    let answer = try await send("PUT", try await policyPath(), body)
    #expect(answer.status == 200)
  }

  func setSettings(_ body: JSON) async throws {
    let answer = try await send("PUT", "/v1/environments/ENV/mfaSettings", body)
    #expect(answer.status == 200)
  }

  /// Grants the application scopes of the resource "PingOne API", by their names.
  func grant(_ names: [String]) async throws {
    let resources = try await send("GET", "/v1/environments/ENV/resources")
    let resource = try #require(resources.body["_embedded"]?["resources"]?.array?.first?["id"]?.string)
    let scopes = try await send("GET", "/v1/environments/ENV/resources/\(resource)/scopes")
    let known = scopes.body["_embedded"]?["scopes"]?.array ?? []
    let wanted = known.filter { names.contains($0["name"]?.string ?? "") }
    #expect(wanted.count == names.count)
    let body: JSON = [
      "resource": ["id": .string(resource)], "scopes": .array(wanted.map { ["id": $0["id"] ?? ""] }),
    ]
    let answer = try await send("POST", "\(applicationPath)/grants", body)
    #expect(answer.status == 201)
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
