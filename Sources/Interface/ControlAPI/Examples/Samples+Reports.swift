internal import Configuration
internal import JSON
internal import Time

extension Samples {
  package static var report: DeviceReport {
    DeviceReport(
      geos: [
        DeviceReport.Geo(
          geography: .europe,
          deviceID: "d-1",
          users: [DeviceRecord(user: user, environment: "e-1", device: "d-2", isPushEnabled: true)]
        )
      ],
      errors: []
    )
  }

  package static var figures: ServiceFigures {
    ServiceFigures(
      connections: 1,
      requests: ServiceFigures.Requests(total: 2, errors: 0),
      owners: 1,
      notifications: ServiceFigures.Notifications(pending: 0, total: 3),
      residentBytes: 16_777_216,
      openFiles: 14,
      databaseBytes: 65_536
    )
  }

  package static var status: ServiceStatusReport {
    ServiceStatusReport(
      version: "0.1.0",
      startedAt: instant,
      uptime: 3600,
      owner: ServiceStatusReport.Owner(
        uid: 1000,
        isConfigured: true,
        geography: .known(.europe),
        paired: 1,
        pending: 0,
        isPolling: true
      ),
      platform: ServiceStatusReport.Platform(
        url: "https://mfa.example.com",
        isPinned: true,
        isReachable: true,
        lastContact: instant.adding(seconds: 3590)
      ),
      sealing: "credential",
      isMemoryLocked: true,
      pin: .none,
      presence: ServiceStatusReport.Presence(methods: [], requirement: .passkeys),
      confinement: ["no-new-privileges", "landlock:6", "seccomp", "no-dump"],
      rollback: .file,
      isClockSynchronized: true,
      clockOffset: 0,
      posture: RawJSON(posture)
    )
  }

  package static var health: DoctorReport {
    DoctorReport([
      .init(.configuration, .pass, "it can be used, and is complete"),
      .init(.key, .pass, "what seals the secrets is a credential of the service"),
      .init(.memory, .pass, "keys lie in memory that is never swapped out"),
      .init(.clock, .pass, "it agrees with those of the servers"),
      .init(.courier, .pass, "mfad-courier carries requests"),
      .init(.host, .pass, "https://mfa.example.com answers, and its certificate is valid"),
      .init(.issuer, .pass, "https://mfa.example.com/e-1/as has an OpenID configuration"),
      .init(.platform, .pass, "the key of https://mfa.example.com/ is one that the configuration names"),
      .init(.pushes, .pass, "they can come to this machine"),
      .init(.database, .pass, "it is as it was written, and can be written"),
      .init(.rollback, .pass, "the state is the newest that there was"),
      .init(
        .backup,
        .warning,
        "there is none",
        cause: "none",
        remedy: "\"sudo authctl backup create\" makes one"
      ),
      .init(.version, .pass, "mfad 0.1.0"),
    ])
  }

  package static let pin = "280491"

  private static let posture: JSON = [
    "os": ["id": "debian", "version": "13", "kernel": "6.12.48-amd64"], "secureBoot": "enabled",
    "diskEncryption": "enabled", "kernelLockdown": "integrity", "programProtected": "yes",
    "stateProtected": "yes",
  ]

  package static var backup: Backup {
    Backup(
      file: "/var/lib/mfad/backups/20261121T090000000Z.backup",
      bytes: 262_144,
      createdAt: instant
    )
  }

  package static var entry: AuditEntry {
    AuditEntry(
      id: "7",
      at: instant,
      owner: 1000,
      method: NotificationDeny.name,
      target: "n1",
      outcome: "DENIED_REPORT_FRAUD"
    )
  }
}
