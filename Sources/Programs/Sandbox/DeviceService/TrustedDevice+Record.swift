import JOSE
import JSON

extension TrustedDevice: Recorded {
  static let kind = "trusted device"

  var record: JSON {
    .present([
      ("id", .id(id)), ("geography", .choice(geography)), ("application", .id(application)),
      ("keys", keys.record),
      ("nextKeys", nextKeys?.record), ("name", .string(name)), ("system", .string(system)),
      ("systemVersion", .string(systemVersion)), ("version", .string(version)), ("push", push?.record),
      ("posture", posture?.json), ("integrityPassed", integrityPassed.map { .deadline($0) }),
      ("createdAt", .instant(createdAt)),
    ])
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: TrustedDevice.self),
      let geography = record.choice("geography", of: Geography.self),
      let application = record.id("application", of: Application.self),
      let keys = record.record("keys").flatMap({ DeviceKeys($0) }), let name = record.text("name"),
      let system = record.text("system"), let systemVersion = record.text("systemVersion"),
      let version = record.text("version"), let createdAt = record.time("createdAt")
    else { return nil }
    self.init(
      id: id,
      geography: geography,
      application: application,
      keys: keys,
      nextKeys: record.record("nextKeys").flatMap { DeviceKeys($0) },
      name: name,
      system: system,
      systemVersion: systemVersion,
      version: version,
      push: record.record("push").flatMap { PushChannel($0) },
      posture: record.record("posture").flatMap { try? Posture(Members($0.members)) },
      integrityPassed: record.deadline("integrityPassed"),
      createdAt: createdAt
    )
  }
}

extension DeviceKeys {
  fileprivate var record: JSON { ["device": device.json, "answer": answer.json] }

  fileprivate init?(_ record: Record) {
    guard let device = record.key("device"), let answer = record.key("answer") else { return nil }
    self.init(device: device, answer: answer)
  }
}

extension PushChannel {
  fileprivate var record: JSON {
    .present([
      ("provider", .choice(provider)), ("token", token.map { .string($0) }),
      ("environment", environment.map { .string($0) }), ("isAllowed", .bool(isAllowed)),
    ])
  }

  fileprivate init?(_ record: Record) {
    guard let provider = record.choice("provider", of: Provider.self),
      let isAllowed = record.bool("isAllowed")
    else { return nil }
    self.init(
      provider: provider,
      token: record.text("token"),
      environment: record.text("environment"),
      isAllowed: isAllowed
    )
  }
}

extension UsedToken: Recorded {
  static let kind = "used token"

  var record: JSON { ["id": .id(id), "end": .instant(end)] }

  init?(_ record: Record) {
    guard let id = record.id("id", of: UsedToken.self), let end = record.time("end") else { return nil }
    self.init(id: id, end: end)
  }
}
