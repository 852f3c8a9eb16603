import EventLoop
import JSON
import Testing

extension Bench {
  nonisolated var application: String { about["application"]?.string ?? "" }

  static nonisolated let settings = "/sandbox/settings"

  func settings() async throws -> JSON { try await send("GET", Self.settings).body }

  /// Merges a document into the settings.
  func patch(_ body: JSON) async throws -> Answer { try await send("PATCH", Self.settings, body) }

  func setPolicy(_ body: JSON) async throws {
    let answer = try await patch(["policy": body])
    #expect(answer.status == 200)
  }

  /// Sets the policy's rules for the application.
  func setRules(_ rules: JSON) async throws { try await setPolicy(["mobile": rules]) }

  func setMFASettings(_ body: JSON) async throws {
    let answer = try await patch(["mfaSettings": body])
    #expect(answer.status == 200)
  }

  /// Grants the application the scopes for users' own devices.
  func grant(_ names: [String]) async throws {
    let answer = try await patch(["application": ["scopes": .strings(names)]])
    #expect(answer.status == 200)
  }

  func setMobile(_ mobile: JSON) async throws {
    let answer = try await patch(["application": ["mobile": mobile]])
    #expect(answer.status == 200)
  }

  /// Sets properties of the OIDC provider's tokens and device grants.
  func setOIDC(_ settings: JSON) async throws {
    let answer = try await send("PUT", "/sandbox/oidc", settings)
    #expect(answer.status == 200)
  }

  func devicesPath(of username: String) throws -> String {
    "/v1/environments/ENV/users/\(try user(username).id)/devices"
  }
}
