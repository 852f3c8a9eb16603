import JOSE
import JSON
import OpenSSL

/// What is kept, in the order in which it is read. Sign-ons under way are not: they begin again.
extension Tenant {
  /// Takes over what an archive holds.
  func restore(from archive: Archive) throws {
    try archive.load(&applications.others)
    try archive.load(&policies.others)
    try archive.load(&pushCredentials)
    try archive.load(&users)
    try archive.load(&pairingKeys)
    try archive.load(&trustedDevices)
    try archive.load(&devices)
    try archive.load(&notifications.shelf)
    notifications.findPending()
    try archive.load(&authentications)
    try archive.load(&authenticationCodes)
    try archive.load(&activities)
    try archive.load(&receivedLogs)
    try archive.load(&replays.used)
    try archive.load(&signOnPolicies.others)
    try archive.load(&sessions)
    try archive.load(&tokens.families)
    try archive.load(&tokens.accessTokens)
    try archive.load(&tokens.refreshTokens)
  }

  /// Writes what has changed since the last time; what it wrote is on the disk when it returns.
  func save(to archive: Archive) throws {
    try archive.transaction {
      try archive.saveState(state())
      try archive.save(&applications.others)
      try archive.save(&policies.others)
      try archive.save(&pushCredentials)
      try archive.save(&users)
      try archive.save(&pairingKeys)
      try archive.save(&trustedDevices)
      try archive.save(&devices)
      try archive.save(&notifications.shelf)
      try archive.save(&authentications)
      try archive.save(&authenticationCodes)
      try archive.save(&activities)
      try archive.save(&receivedLogs)
      try archive.save(&replays.used)
      try archive.save(&signOnPolicies.others)
      try archive.save(&sessions)
      try archive.save(&tokens.families)
      try archive.save(&tokens.accessTokens)
      try archive.save(&tokens.refreshTokens)
    }
  }

  private func state() throws(OpenSSLError) -> JSON {
    let platformKey = try platformKey.key.scalar.withBytes { Base64URL.encode(Array($0)) }
    var tokenKeys: [String] = []
    for key in self.tokenKeys { tokenKeys.append(try key.encoded()) }
    return .present([
      ("environment", .id(environment.id)), ("organization", .id(environment.organization)),
      ("name", .string(environment.name)), ("application", application.record),
      ("adminToken", .string(adminToken)), ("platformKey", .string(platformKey)),
      ("tokenKeys", .strings(tokenKeys)), ("lead", .int(clock.lead)), ("policy", policy.record),
      ("mfaSettings", .object(mfaSettings.json)), ("oidcSettings", oidcSettings.json),
      ("signOnPolicy", signOnPolicies.standard.record),
      ("transportRefusal", transportRefusal.map { .string($0) }),
      ("log", .string(notifications.name)), ("lastSequence", .int(notifications.lastSequence)),
    ])
  }
}

extension Seed {
  /// The seed of a sandbox that has run before; its users come with everything else.
  init?(_ record: Record) {
    guard let environment = record.id("environment", of: Environment.self),
      let organization = record.id("organization", of: Organization.self), let name = record.text("name"),
      let application = record.record("application").flatMap({ Application($0) }),
      let adminToken = record.text("adminToken"),
      let scalar = record.text("platformKey").flatMap({ Base64URL.decode($0) }),
      let platformKey = try? PrivateKey(p256Scalar: Secret(copying: scalar)),
      let lead = record.int("lead"), let policy = record.record("policy").flatMap({ Policy($0) }),
      let mfaSettings = record.record("mfaSettings").flatMap({ MFASettings($0) }),
      let log = record.text("log"), let lastSequence = record.int("lastSequence")
    else { return nil }
    self.environment = Environment(id: environment, organization: organization, name: name)
    self.application = application
    self.adminToken = adminToken
    self.platformKey = PlatformKey(platformKey)
    // A sandbox of an earlier version kept one key and no settings.
    let tokenKeys = record.text("tokenKey").map { [$0] } ?? record.texts("tokenKeys")
    self.tokenKeys = tokenKeys.compactMap { TokenKey(encoded: $0) }
    oidcSettings = record.record("oidcSettings").flatMap { OIDCSettings($0) } ?? OIDCSettings()
    signOnPolicy = record.record("signOnPolicy").flatMap { SignOnPolicy($0) } ?? .singleFactor
    otherSignOnPolicies = []
    self.policy = policy
    self.mfaSettings = mfaSettings
    self.lead = lead
    notifications = NotificationLog(name: log, lastSequence: lastSequence)
    users = []
    pushCredentials = []
    transportRefusal = record.text("transportRefusal")
  }
}

extension TokenKey {
  fileprivate func encoded() throws(OpenSSLError) -> String {
    try key.pkcs8().withBytes { Base64URL.encode(Array($0)) }
  }

  fileprivate init?(encoded text: String) {
    guard let bytes = Base64URL.decode(text), let key = try? PrivateKey(pkcs8: Secret(copying: bytes)) else {
      return nil
    }
    self.init(key)
  }
}
