public import Configuration
public import JSONRPC
public import Time

public struct ServiceStatus: ControlMethod {
  public static let name = "service.status"
  public static let access = AccessClass.read
  public static let summary = "returns the status of the service and of the caller's authenticator"
  public static let errors: [RPCError] = []
  public static let worksMisconfigured = true
  public static let parameters = Shape(ServiceStatus.init)
  public static var example: Example<Self> { Example(ServiceStatus(), Samples.status) }

  public typealias Result = ServiceStatusReport

  public init() {}
}

/// The status of the service, limited to the information that one owner may see.
public struct ServiceStatusReport: ControlObject {
  public let version: String
  public let interface: InterfaceVersion
  public let startedAt: Timestamp
  /// Seconds since the daemon started.
  public let uptime: Int
  /// The error that makes the configuration unusable; `nil` if it is usable.
  public let misconfigured: Misconfiguration?
  public let owner: Owner
  public let platform: Platform
  public let protection: Protection
  public let presence: Presence?
  public let clock: Clock
  /// A `MachinePosture`, serialized when it was measured.
  public let posture: RawJSON

  public static let shape = Shape(
    "ServiceStatus",
    ServiceStatusReport.init,
    .required("version", \.version, as: .text(maximum: 64), "the version of the daemon"),
    .required("api", \.interface, "the version of the interface"),
    .required("startedAt", \.startedAt, "the start time of the daemon"),
    .required("uptime", \.uptime, "the seconds since the start"),
    .optional("misconfigured", \.misconfigured, "the error that makes the configuration unusable"),
    .required("owner", \.owner, "the caller's authenticator"),
    .required("platform", \.platform, "the platform of the caller's authenticator"),
    .required("protection", \.protection, "the protection of the secrets"),
    .optional("presence", \.presence, "the user verification"),
    .required("clock", \.clock, "the state of the clock"),
    .required("posture", \.posture, as: MachinePosture.schema, "the machine's security properties")
  )
}

extension ServiceStatusReport {
  public init(
    version: String,
    startedAt: Timestamp,
    uptime: Int,
    misconfigured: Misconfiguration? = nil,
    owner: Owner,
    platform: Platform,
    sealing: String,
    isMemoryLocked: Bool,
    pin: Protection.PIN,
    presence: Presence,
    confinement: [String],
    rollback: Protection.Rollback,
    rolledBackAt: Timestamp? = nil,
    isChecking: Bool = false,
    isClockSynchronized: Bool?,
    clockOffset: Int?,
    posture: RawJSON
  ) {
    self.init(
      version: version,
      interface: .current,
      startedAt: startedAt,
      uptime: uptime,
      misconfigured: misconfigured,
      owner: owner,
      platform: platform,
      protection: Protection(
        sealing: sealing,
        isMemoryLocked: isMemoryLocked,
        pin: .known(pin),
        confinement: confinement,
        rollback: .known(rollback),
        rolledBackAt: rolledBackAt,
        isChecking: isChecking ? true : nil
      ),
      presence: presence,
      clock: Clock(isSynchronized: isClockSynchronized, offset: clockOffset),
      posture: posture
    )
  }
}

extension ServiceStatusReport {
  /// The authenticator of an owner.
  public struct Owner: ControlObject {
    public let uid: UInt32
    public let isConfigured: Bool
    public let geography: Open<Geography>?
    public let paired: Int
    public let pending: Int
    public let isPolling: Bool

    public init(
      uid: UInt32,
      isConfigured: Bool,
      geography: Open<Geography>?,
      paired: Int,
      pending: Int,
      isPolling: Bool
    ) {
      (self.uid, self.isConfigured, self.geography) = (uid, isConfigured, geography)
      (self.paired, self.pending, self.isPolling) = (paired, pending, isPolling)
    }

    public static let shape = Shape(
      Owner.init(uid:isConfigured:geography:paired:pending:isPolling:),
      .required("uid", \.uid, "the caller's uid"),
      .required("configured", \.isConfigured, "true if a geography is configured"),
      .optional("geo", \.geography, "the geography, or the one to be configured at the first use"),
      .required("paired", \.paired, "the number of active accounts"),
      .required("pending", \.pending, "the number of pending pushes"),
      .required("polling", \.isPolling, "true if the daemon polls for pushes")
    )
  }
}

extension ServiceStatusReport {
  /// The platform of an owner's authenticator.
  public struct Platform: ControlObject {
    public enum Kind: String, ControlChoice {
      case pingOneDeviceService = "pingone-device-service"
    }

    public let kind: Open<Kind>
    public let url: String
    public let isPinned: Bool
    /// True if the last request reached the platform; `nil` before the first request.
    public let isReachable: Bool?
    public let lastContact: Timestamp?

    public static let shape = Shape(
      Platform.init(kind:url:isPinned:isReachable:lastContact:),
      .required("kind", \.kind, "the protocol"),
      .required("url", \.url, as: .text(maximum: 8192), "the base URL"),
      .required("pinned", \.isPinned, "true if the configuration names its key"),
      .required("reachable", \.isReachable, "true if the last request reached it; null before the first"),
      .optional("lastContact", \.lastContact, "the time of the last response")
    )
  }
}

extension ServiceStatusReport.Platform {
  public init(url: String, isPinned: Bool, isReachable: Bool?, lastContact: Timestamp?) {
    self.init(
      kind: .known(.pingOneDeviceService),
      url: url,
      isPinned: isPinned,
      isReachable: isReachable,
      lastContact: lastContact
    )
  }
}

extension ServiceStatusReport {
  /// The protection of an owner's secrets.
  public struct Protection: ControlObject {
    public enum PIN: String, ControlChoice {
      case none, locked, unlocked, disabled
    }

    public enum Rollback: String, ControlChoice {
      case none, file, tpm2, platform
    }

    public let sealing: String
    public let isMemoryLocked: Bool
    public let pin: Open<PIN>
    public let confinement: [String]
    public let rollback: Open<Rollback>
    public let rolledBackAt: Timestamp?
    /// True while the whole database is read to find damage; otherwise `nil`.
    public let isChecking: Bool?

    public static let shape = Shape(
      Protection.init(sealing:isMemoryLocked:pin:confinement:rollback:rolledBackAt:isChecking:),
      .required(
        "sealing",
        \.sealing,
        as: .choice(["credential", "tpm2", "key-file", "unavailable"]),
        "the source of the key-encryption key"
      ),
      .required("memoryLocked", \.isMemoryLocked, "true if secrets in memory are never swapped out"),
      .required("pin", \.pin, "the state of the PIN"),
      .required(
        "confinement",
        \.confinement,
        "the daemon's sandbox measures: `landlock:6`, `seccomp`, `no-new-privileges`, `no-dump`"
      ),
      .required("rollback", \.rollback, "the detection of a rolled-back state"),
      .optional("rolledBackAt", \.rolledBackAt, "the time of the last detection of a rolled-back state"),
      .optional("checking", \.isChecking, "true while the whole database is read to find damage")
    )
  }

  /// The daemon's user verification.
  public struct Presence: ControlObject {
    public let methods: [Open<PresenceClaim.Method>]
    public let requirement: Open<PresenceRequirement>

    public init(methods: [PresenceClaim.Method], requirement: PresenceRequirement) {
      (self.methods, self.requirement) = (methods.map(Open.known), .known(requirement))
    }

    private init(_ methods: [Open<PresenceClaim.Method>], _ requirement: Open<PresenceRequirement>) {
      (self.methods, self.requirement) = (methods, requirement)
    }

    public static let shape = Shape(
      Presence.init(_:_:),
      .required("methods", \.methods, "the methods that are available now"),
      .required("required", \.requirement, "the approvals that require it")
    )
  }

  /// The state of the system clock.
  public struct Clock: ControlObject {
    public let isSynchronized: Bool?
    public let offset: Int?

    public static let shape = Shape(
      Clock.init(isSynchronized:offset:),
      .required("synchronized", \.isSynchronized, "true if it is synchronized; null: unknown"),
      .optional(
        "offset",
        \.offset,
        as: .integer(Int.min...Int.max),
        "the lead of the platform's clock in seconds"
      )
    )
  }
}
