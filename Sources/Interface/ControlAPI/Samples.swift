internal import Configuration
public import JSON
public import Time

/// Values for the examples of methods: the user Ann and her objects.
public enum Samples {
  public static let instant = Timestamp(seconds: 1_795_251_600)

  public static var user: User { User(id: "u-1", username: "ann", given: "Ann", family: "Archer") }

  public static var pairing: PairingRequest {
    PairingRequest(
      id: "p1",
      user: user,
      environment: "e-1",
      geography: .europe,
      expiresAt: instant.adding(seconds: 600)
    )
  }

  public static var authenticators: [PairedAuthenticator] {
    [
      PairedAuthenticator(type: "PUSH", status: "COMPLETED"),
      PairedAuthenticator(type: "OTP", status: "COMPLETED"),
    ]
  }

  public static var account: Account {
    Account(
      id: "a1",
      geography: .europe,
      environment: "e-1",
      user: user,
      label: "ann",
      nickname: "desk",
      authenticators: authenticators,
      lock: nil,
      createdAt: instant,
      state: .active
    )
  }

  public static let keyURI =
    "otpauth://totp/ACME:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"

  public static var oathAccount: Account {
    Account(
      id: "a2",
      kind: .oath,
      issuer: "ACME",
      label: "ann",
      nickname: nil,
      authenticators: [PairedAuthenticator(type: "OTP", status: "COMPLETED")],
      lock: nil,
      createdAt: instant,
      state: .active
    )
  }

  public static var paired: PairingInfo {
    PairingInfo(account: "a1", user: user, authenticators: authenticators)
  }

  public static var passcode: Passcode {
    Passcode(
      account: "a1",
      current: Passcode.Window(passcode: "730219", validFrom: 1_795_251_600, validUntil: 1_795_251_630),
      period: 30,
      remaining: 21,
      next: nil
    )
  }

  public static var notification: NotificationObject { notification(.pending) }

  public static var approval: NotificationObject.Answer {
    NotificationObject.Answer(
      decision: "approve",
      authenticationMethod: AuthenticationMethod.standard,
      reason: nil,
      at: instant.adding(seconds: 9)
    )
  }

  public static var denial: NotificationObject.Answer {
    NotificationObject.Answer(
      decision: "deny",
      authenticationMethod: nil,
      reason: "REPORT_FRAUD",
      at: instant.adding(seconds: 9)
    )
  }

  /// The payload of a push transport, which contains the platform's message as a compact JWS.
  public static var payload: JSON { ["data": ["message": "eyJ….eyJ….sig"]] }

  public static func notification(
    _ state: NotificationObject.State,
    _ answer: NotificationObject.Answer? = nil
  ) -> NotificationObject {
    var content = NotificationObject.Content()
    (content.title, content.body) = ("Sign on", "Approve the sign-on to Payroll?")
    return NotificationObject(
      id: "n1",
      account: "a1",
      kind: .known(.authentication),
      state: .known(state),
      content: content,
      timeoutDuration: 120,
      receivedAt: instant,
      expiresAt: instant.adding(seconds: 120),
      answer: answer
    )
  }

  public static var code: AuthenticationObject {
    AuthenticationObject(
      id: "c1",
      status: .claimed,
      users: [user],
      userApproval: "REQUIRED",
      clientContext: nil,
      expiresAt: instant.adding(seconds: 300)
    )
  }
}

extension Samples {
  public static var report: DeviceReport {
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

  public static var figures: ServiceFigures {
    ServiceFigures(
      connections: 1,
      requests: ServiceFigures.Requests(total: 2, errors: 0),
      owners: 1,
      notifications: ServiceFigures.Notifications(pending: 0, total: 3),
      residentBytes: 16_777_216,
      openFiles: 14,
      databaseBytes: 65_536,
      approvals: ServiceFigures.Approvals(approved: 2, denied: 1, expired: 0, cancelled: 0)
    )
  }

  public static var status: ServiceStatusReport {
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

  public static var health: DoctorReport {
    DoctorReport([
      .init(.configuration, .pass, "it is valid and complete"),
      .init(.key, .pass, "a systemd credential holds the key that seals the secrets"),
      .init(.memory, .pass, "keys are in memory that is never swapped out"),
      .init(.clock, .pass, "the clock agrees with those of the servers"),
      .init(.courier, .pass, "mfad-courier sends requests"),
      .init(.host, .pass, "https://mfa.example.com answers, and its certificate is valid"),
      .init(.issuer, .pass, "https://mfa.example.com/e-1/as has an OpenID configuration"),
      .init(.platform, .pass, "the key of https://mfa.example.com/ is one of the configured keys"),
      .init(.pushes, .pass, "pushes can reach this machine"),
      .init(.database, .pass, "the database is undamaged and writable"),
      .init(.rollback, .pass, "the state is not an older copy"),
      .init(
        .backup,
        .warning,
        "there is no backup",
        cause: "none",
        remedy:
          #"run "sudo authctl backup create"; "sudo systemctl enable --now mfad-backup.timer" makes one each day"#
      ),
      .init(.version, .pass, "mfad 0.1.0"),
    ])
  }

  public static let pin = "280491"

  private static let posture: JSON = [
    "os": ["id": "debian", "version": "13", "kernel": "6.12.48-amd64"], "secureBoot": "enabled",
    "diskEncryption": "enabled", "kernelLockdown": "integrity", "programProtected": "yes",
    "stateProtected": "yes",
  ]

  public static var backup: Backup {
    Backup(
      file: "/var/lib/mfad/backups/20261121T090000000Z.backup",
      bytes: 262_144,
      createdAt: instant
    )
  }

  public static var entry: AuditEntry {
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

extension Samples {
  /// The first step of a sign-on, which asks for a name and a password.
  public static var step: Node {
    Node(
      login: "l1",
      outcome: .next,
      method: .signon,
      issuer: session.issuer,
      page: page
    )
  }

  public static func signedOn(by method: LoginMethod) -> Node {
    var node = Node(login: "l1", outcome: .success, method: method, issuer: session.issuer)
    (node.user, node.pairing) = (user, .some(pairing))
    return node
  }

  public static var session: SignOnSession {
    SignOnSession(
      id: "s1",
      issuer: "https://auth.example.com/e-1/as",
      subject: "u-1",
      updatedAt: instant
    )
  }

  private static let page = SignOnPage(
    title: "Sign On",
    collectors: [collector("username", "TextCollector", "Username"), password],
    actions: [
      SignOnPage.Action(key: "usernamePassword.check", label: "Sign On", kind: .submit),
      SignOnPage.Action(key: "password.forgot", label: "Forgot password", kind: .link),
    ]
  )

  private static let password: Collector = {
    var password = collector("password", "PasswordCollector", "Password")
    password.isSecret = true
    return password
  }()

  private static func collector(_ key: String, _ type: String, _ label: String) -> Collector {
    var collector = Collector(key: key, type: type, label: label)
    collector.isRequired = true
    return collector
  }
}
