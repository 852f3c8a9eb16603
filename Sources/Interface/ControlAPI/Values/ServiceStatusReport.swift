package import Configuration
package import JSON
package import Time

/// How the service is, as one owner may know it.
package struct ServiceStatusReport: ControlValue {
  /// What an owner has.
  package struct Owner: Sendable {
    package let uid: UInt32
    /// Whether a geography is configured.
    package let isConfigured: Bool
    package let geography: Geography?
    /// How many accounts are paired.
    package let paired: Int
    /// How many pushes wait for an answer.
    package let pending: Int
    /// Whether pushes are fetched.
    package let isPolling: Bool

    /// What an owner has.
    package init(uid: UInt32, geography: Geography?, paired: Int, pending: Int, isPolling: Bool) {
      (self.uid, self.geography, self.paired) = (uid, geography, paired)
      (self.pending, self.isPolling, isConfigured) = (pending, isPolling, geography != nil)
    }
  }

  /// The platform that an owner talks to.
  package struct Platform: Sendable {
    package let url: String
    /// Whether its key is pinned by the configuration.
    package let isPinned: Bool
    /// Whether the last request reached it; `nil` before the first.
    package let isReachable: Bool?
    /// When it last answered.
    package let lastContact: Timestamp?

    /// A platform as it was last seen.
    package init(url: String, isPinned: Bool, isReachable: Bool?, lastContact: Timestamp?) {
      (self.url, self.isPinned, self.isReachable) = (url, isPinned, isReachable)
      self.lastContact = lastContact
    }
  }

  package let version: String
  /// When it was started.
  package let startedAt: Timestamp
  /// How many seconds it runs.
  package let uptime: Int
  /// What the caller has.
  package let owner: Owner
  package let platform: Platform
  /// What protects the secrets: credential, tpm2, key-file or unavailable.
  package let sealing: String
  /// Whether secrets in memory are kept from being swapped out.
  package let isMemoryLocked: Bool
  /// Whether the system's clock is synchronised; `nil` when that cannot be told.
  package let isClockSynchronized: Bool?
  /// How many seconds the platform's clock is ahead, when it was heard.
  package let clockOffset: Int?
  /// What the machine says of itself, as the platform hears it.
  package let posture: JSON

  package init(
    version: String,
    startedAt: Timestamp,
    uptime: Int,
    owner: Owner,
    platform: Platform,
    sealing: String,
    isMemoryLocked: Bool,
    isClockSynchronized: Bool?,
    clockOffset: Int?,
    posture: JSON
  ) {
    (self.version, self.startedAt, self.uptime) = (version, startedAt, uptime)
    (self.owner, self.platform, self.sealing) = (owner, platform, sealing)
    (self.isMemoryLocked, self.isClockSynchronized) = (isMemoryLocked, isClockSynchronized)
    (self.clockOffset, self.posture) = (clockOffset, posture)
  }

  /// The version of the interface; the second number grows with each addition.
  package static let interfaceVersion = (major: 1, minor: 1)

  package static let schema = Schema.object([
    .required("version", .text(maximum: 64)),
    .required("api", .object([.required("major", .count), .required("minor", .count)])),
    .required("startedAt", .instant), .required("uptime", .count),
    .required(
      "owner",
      .object([
        .required("uid", .count), .required("configured", .boolean),
        .optional("geo", .choice(Geography.allCases.map(\.rawValue))), .required("paired", .count),
        .required("pending", .count), .required("polling", .boolean),
      ])
    ),
    .required(
      "platform",
      .object([
        .required("kind", .choice(["pingone-device-service"])), .required("url", .text(maximum: 8192)),
        .required("pinned", .boolean), .required("reachable", .nullable(.boolean)),
        .optional("lastContact", .instant),
      ])
    ),
    .required(
      "protection",
      .object([
        .required("sealing", .choice(["credential", "tpm2", "key-file", "unavailable"])),
        .required("memoryLocked", .boolean),
        .required("pin", .choice(["none", "locked", "unlocked", "disabled"])),
      ])
    ),
    .required(
      "clock",
      .object([
        .required("synchronized", .nullable(.boolean)), .optional("offset", .integer(.min ... .max)),
      ])
    ), .required("posture", postureSchema),
  ])

  private static let postureSchema = Schema.object([
    .required(
      "os",
      .object([
        .required("id", .text(maximum: 64)), .required("version", .text(maximum: 64)),
        .required("kernel", .text(maximum: 64)),
      ])
    ),
    .required("secureBoot", .choice(["enabled", "disabled", "unknown"])),
    .required("diskEncryption", .choice(["enabled", "disabled", "unknown"])),
    .required("kernelLockdown", .choice(["none", "integrity", "confidentiality", "unknown"])),
    .required("programProtected", .choice(["yes", "no", "unknown"])),
    .required("stateProtected", .choice(["yes", "no", "unknown"])),
  ])

  package var json: JSON {
    var clock: JSONObject = ["synchronized": isClockSynchronized.map(JSON.bool) ?? .null]
    clock["offset"] = clockOffset.map(JSON.int)
    return [
      "version": .string(version),
      "api": ["major": .int(Self.interfaceVersion.major), "minor": .int(Self.interfaceVersion.minor)],
      "startedAt": .string(startedAt.text), "uptime": .int(uptime), "owner": owner.json,
      "platform": platform.json,
      "protection": [
        "sealing": .string(sealing), "memoryLocked": .bool(isMemoryLocked), "pin": "none",
      ],
      "clock": .object(clock), "posture": posture,
    ]
  }
}

extension ServiceStatusReport.Owner {
  fileprivate var json: JSON {
    var object: JSONObject = ["uid": .int(Int(uid)), "configured": .bool(isConfigured)]
    object["geo"] = geography.map { .string($0.rawValue) }
    object["paired"] = .int(paired)
    object["pending"] = .int(pending)
    object["polling"] = .bool(isPolling)
    return .object(object)
  }
}

extension ServiceStatusReport.Platform {
  fileprivate var json: JSON {
    var object: JSONObject = [
      "kind": "pingone-device-service", "url": .string(url), "pinned": .bool(isPinned),
      "reachable": isReachable.map(JSON.bool) ?? .null,
    ]
    object["lastContact"] = lastContact.map { .string($0.text) }
    return .object(object)
  }
}
