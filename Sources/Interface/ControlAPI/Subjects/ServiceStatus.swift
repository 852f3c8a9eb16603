public import Configuration
public import JSONRPC
public import Time

public struct ServiceStatus: ControlMethod {
  public static let name = "service.status"
  public static let access = AccessClass.read
  public static let summary = "tells how the service is and what the caller has"
  public static let errors: [RPCError] = []
  public static let worksMisconfigured = true
  public static let parameters = Shape(ServiceStatus.init)
  public static var example: Example<Self> { Example(ServiceStatus(), Samples.status) }

  public typealias Result = ServiceStatusReport

  public init() {}
}

/// How the service is, as one owner may know it.
public struct ServiceStatusReport: ControlObject {
  public let version: String
  public let interface: InterfaceVersion
  public let startedAt: Timestamp
  /// Seconds since the start.
  public let uptime: Int
  /// What keeps the configuration from being used; then nothing else works.
  public let misconfigured: Misconfiguration?
  public let owner: Owner
  public let platform: Platform
  public let protection: Protection
  public let presence: Presence?
  public let clock: Clock
  /// A `MachinePosture`, written when it was measured.
  public let posture: RawJSON

  public static let shape = Shape(
    "ServiceStatus",
    ServiceStatusReport.init,
    .required("version", \.version, as: .text(maximum: 64), "the version of the daemon"),
    .required("api", \.interface, "the version of the interface"),
    .required("startedAt", \.startedAt, "when the daemon was started"),
    .required("uptime", \.uptime, "how many seconds it runs"),
    .optional("misconfigured", \.misconfigured, "what keeps the configuration from being used"),
    .required("owner", \.owner, "what the caller has"),
    .required("platform", \.platform, "the platform that the caller's authenticator talks to"),
    .required("protection", \.protection, "what protects the secrets"),
    .optional("presence", \.presence, "how it is made sure that somebody is there, and when"),
    .required("clock", \.clock, "how right the clock is"),
    .required("posture", \.posture, as: MachinePosture.schema, "what the machine says of itself")
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
  /// What an owner has.
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
      .required("uid", \.uid, "the caller"),
      .required("configured", \.isConfigured, "a geography is configured"),
      .optional("geo", \.geography, "which one, or which one will be at the first use"),
      .required("paired", \.paired, "how many accounts are in force"),
      .required("pending", \.pending, "how many pushes wait for a decision"),
      .required("polling", \.isPolling, "pushes are fetched")
    )
  }
}

extension ServiceStatusReport {
  /// The platform that an owner talks to.
  public struct Platform: ControlObject {
    public enum Kind: String, ControlChoice {
      case pingOneDeviceService = "pingone-device-service"
    }

    public let kind: Open<Kind>
    public let url: String
    public let isPinned: Bool
    /// Whether the last request reached it; `nil` before the first.
    public let isReachable: Bool?
    public let lastContact: Timestamp?

    public static let shape = Shape(
      Platform.init(kind:url:isPinned:isReachable:lastContact:),
      .required("kind", \.kind, "what it speaks"),
      .required("url", \.url, as: .text(maximum: 8192), "where it is"),
      .required("pinned", \.isPinned, "its key is named by the configuration"),
      .required("reachable", \.isReachable, "the last request reached it; null before the first"),
      .optional("lastContact", \.lastContact, "when it was heard last")
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
  /// What protects the secrets of an owner.
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
    /// Nothing when it is not under way.
    public let isChecking: Bool?

    public static let shape = Shape(
      Protection.init(sealing:isMemoryLocked:pin:confinement:rollback:rolledBackAt:isChecking:),
      .required(
        "sealing",
        \.sealing,
        as: .choice(["credential", "tpm2", "key-file", "unavailable"]),
        "where the key-encryption key comes from"
      ),
      .required("memoryLocked", \.isMemoryLocked, "secrets in memory are kept from being swapped out"),
      .required("pin", \.pin, "whether there is a PIN, and what it does now"),
      .required(
        "confinement",
        \.confinement,
        "what the daemon has given up for itself, as `landlock:6`, `seccomp`, `no-new-privileges`, `no-dump`"
      ),
      .required("rollback", \.rollback, "by what an older copy of the state would be noticed"),
      .optional("rolledBackAt", \.rolledBackAt, "when it was last noticed that the state is not the newest"),
      .optional("checking", \.isChecking, "the database is being read as a whole, to find what is damaged")
    )
  }

  /// How the daemon makes sure of its owner.
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
      .required("methods", \.methods, "by what this machine can do so now"),
      .required("required", \.requirement, "which approvals want it")
    )
  }

  /// How right the system's clock is.
  public struct Clock: ControlObject {
    public let isSynchronized: Bool?
    public let offset: Int?

    public static let shape = Shape(
      Clock.init(isSynchronized:offset:),
      .required("synchronized", \.isSynchronized, "it is kept right; null: that cannot be told"),
      .optional(
        "offset",
        \.offset,
        as: .integer(Int.min...Int.max),
        "how many seconds the platform's clock is ahead"
      )
    )
  }
}
