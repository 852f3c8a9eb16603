import EventLoop
import OpenSSL
import Time

/// What a fresh sandbox begins with.
struct Seed: Sendable {
  let environment: Environment
  let application: Application
  let adminToken: String
  let platformKey: PlatformKey
  let policy: Policy
  let users: [User]

  /// A fresh seed with the users ann and bob.
  static func random(now: Timestamp) throws(OpenSSLError) -> Seed {
    let environment = Environment(id: .random(), organization: .random(), name: "Sandbox")
    return Seed(
      environment: environment,
      application: Application(id: .random(), name: "mfad", appID: "mfad"),
      adminToken: randomText(43, of: tokenAlphabet),
      platformKey: PlatformKey(try .generateP256()),
      policy: Policy(id: .random()),
      users: [("ann", "Ann", "Archer"), ("bob", "Bob", "Baker")].map { username, given, family in
        User(
          id: .random(),
          username: username,
          password: randomText(16, of: tokenAlphabet),
          email: "\(username)@example.com",
          given: given,
          family: family,
          mfaEnabled: true,
          createdAt: now,
          updatedAt: now
        )
      }
    )
  }
}
