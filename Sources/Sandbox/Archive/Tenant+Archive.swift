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
    }
  }

  private func state() throws(OpenSSLError) -> JSON {
    let platformKey = try platformKey.key.scalar.withBytes { Base64URL.encode(Array($0)) }
    let tokenKey = try madeTokenKey?.key.pkcs8().withBytes { Base64URL.encode(Array($0)) }
    return .present([
      ("environment", .id(environment.id)), ("organization", .id(environment.organization)),
      ("name", .string(environment.name)), ("application", application.record),
      ("adminToken", .string(adminToken)), ("platformKey", .string(platformKey)),
      ("tokenKey", tokenKey.map { .string($0) }), ("lead", .int(clock.lead)), ("policy", policy.record),
      ("mfaSettings", .object(mfaSettings.json)),
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
    let tokenKey = record.text("tokenKey").flatMap { Base64URL.decode($0) }
    self.tokenKey = tokenKey.flatMap { try? PrivateKey(pkcs8: Secret(copying: $0)) }.map { TokenKey($0) }
    self.policy = policy
    self.mfaSettings = mfaSettings
    self.lead = lead
    notifications = NotificationLog(name: log, lastSequence: lastSequence)
    users = []
    pushCredentials = []
    transportRefusal = record.text("transportRefusal")
  }
}
