package import Time

/// How the service is, as one owner may know it.
package struct ServiceStatusReport: ControlObject {
  package let version: String
  package let interface: InterfaceVersion
  package let startedAt: Timestamp
  /// Seconds since the start.
  package let uptime: Int
  /// What keeps the configuration from being used; then nothing else works.
  package let misconfigured: Misconfiguration?
  package let owner: Owner
  package let platform: Platform
  package let protection: Protection
  package let presence: Presence?
  package let clock: Clock
  /// A `MachinePosture`, written when it was measured.
  package let posture: RawJSON

  package static let shape = Shape(
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
  package init(
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
