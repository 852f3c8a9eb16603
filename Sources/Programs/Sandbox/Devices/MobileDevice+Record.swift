import JOSE
import JSON

extension MobileDevice: Recorded {
  static let kind = "device"

  var record: JSON {
    .present([
      ("id", .id(id)), ("user", .id(user)), ("device", .id(device)), ("pairingKey", .id(pairingKey)),
      ("application", .id(application)), ("policy", .id(policy)), ("period", .int(secret.period)),
      ("secret", .string(Base64URL.encode(secret.bytes))), ("activation", .deadline(activation)),
      ("createdAt", .instant(createdAt)), ("updatedAt", .instant(updatedAt)), ("status", .choice(status)),
      ("nickname", nickname.map { .string($0) }), ("activationTriesLeft", .int(activationTriesLeft)),
      ("usedWindows", .array(usedWindows.sorted().map { .int($0) })),
      ("passcodeFailures", .int(passcodeFailures)), ("passcodeLock", passcodeLock.map { .deadline($0) }),
      ("blockedAt", blockedAt.map { .instant($0) }), ("pushMisses", .array(pushMisses.map { .deadline($0) })),
      ("pushLock", pushLock.map { .deadline($0) }), ("logRequest", logRequest?.record),
    ])
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: MobileDevice.self), let user = record.id("user", of: User.self),
      let device = record.id("device", of: TrustedDevice.self),
      let pairingKey = record.id("pairingKey", of: PairingKey.self),
      let application = record.id("application", of: Application.self),
      let policy = record.id("policy", of: Policy.self), let period = record.int("period"),
      let secret = record.text("secret").flatMap({ Base64URL.decode($0) }),
      let activation = record.deadline("activation"), let createdAt = record.time("createdAt"),
      let updatedAt = record.time("updatedAt"), let status = record.choice("status", of: Status.self),
      let activationTriesLeft = record.int("activationTriesLeft"),
      let passcodeFailures = record.int("passcodeFailures")
    else { return nil }
    self.init(
      id: id,
      user: user,
      device: device,
      pairingKey: pairingKey,
      application: application,
      policy: policy,
      secret: PasscodeSecret(bytes: secret, period: period),
      activation: activation,
      createdAt: createdAt,
      updatedAt: updatedAt,
      status: status,
      nickname: record.text("nickname"),
      blockedAt: record.time("blockedAt"),
      activationTriesLeft: activationTriesLeft,
      usedWindows: Set((record.members["usedWindows"]?.array ?? []).compactMap(\.int)),
      passcodeFailures: passcodeFailures,
      passcodeLock: record.deadline("passcodeLock"),
      pushMisses: record.deadlines("pushMisses"),
      pushLock: record.deadline("pushLock"),
      logRequest: record.record("logRequest").map { LogRequest($0) }
    )
  }
}

extension MobileDevice.LogRequest {
  fileprivate var record: JSON {
    switch self {
    case .received: [:]
    case .pending(let end): ["until": .deadline(end)]
    }
  }

  fileprivate init(_ record: Record) {
    self = record.deadline("until").map { .pending(until: $0) } ?? .received
  }
}
