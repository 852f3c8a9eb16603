package import Configuration
package import Time

extension ServiceStatusReport {
  /// What protects the secrets of an owner.
  package struct Protection: ControlObject {
    package enum PIN: String, ControlChoice {
      case none, locked, unlocked, disabled
    }

    package enum Rollback: String, ControlChoice {
      case none, file, tpm2, platform
    }

    package let sealing: String
    package let isMemoryLocked: Bool
    package let pin: Open<PIN>
    package let confinement: [String]
    package let rollback: Open<Rollback>
    package let rolledBackAt: Timestamp?
    /// Nothing when it is not under way.
    package let isChecking: Bool?

    package static let shape = Shape(
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
  package struct Presence: ControlObject {
    package let methods: [Open<PresenceClaim.Method>]
    package let requirement: Open<PresenceRequirement>

    package init(methods: [PresenceClaim.Method], requirement: PresenceRequirement) {
      (self.methods, self.requirement) = (methods.map(Open.known), .known(requirement))
    }

    private init(_ methods: [Open<PresenceClaim.Method>], _ requirement: Open<PresenceRequirement>) {
      (self.methods, self.requirement) = (methods, requirement)
    }

    package static let shape = Shape(
      Presence.init(_:_:),
      .required("methods", \.methods, "by what this machine can do so now"),
      .required("required", \.requirement, "which approvals want it")
    )
  }

  /// How right the system's clock is.
  package struct Clock: ControlObject {
    package let isSynchronized: Bool?
    package let offset: Int?

    package static let shape = Shape(
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
