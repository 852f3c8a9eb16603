import Configuration
import JSON
import Testing
import Time
@testable import ControlAPI

extension ValueTests {
  static let instant = Timestamp(seconds: 1_795_251_600)
  static let ann = User(id: "u-1", username: "ann", email: "a@b.c", given: "Ann", family: "Lee")
  static let pairing = PairingRequest(
    id: "p",
    user: ann,
    environment: "e",
    geography: .europe,
    expiresAt: instant
  )
  static let authenticators = [
    PairedAuthenticator(type: "PUSH", status: "COMPLETED"),
    PairedAuthenticator(type: "OTP", status: "FAILED", errorCode: "X", errorMessage: "x"),
  ]

  static func notification(
    _ content: NotificationObject.Content,
    _ state: NotificationObject.State,
    _ answer: NotificationObject.Answer?
  ) -> NotificationObject {
    NotificationObject(
      id: "n",
      account: "a",
      kind: .known(.authentication),
      state: .known(state),
      content: content,
      timeoutDuration: 120,
      receivedAt: instant,
      expiresAt: instant.adding(seconds: 120),
      answer: answer
    )
  }

  static var fullNotification: NotificationObject {
    var content = NotificationObject.Content()
    (content.title, content.body, content.category) = ("t", "b", "c")
    (content.clientContext, content.applicationContext) = (["x": 1], .null)
    (content.numberMatching, content.numberOptions) = ("SELECT_NUMBER", [1, 2])
    let answer = NotificationObject.Answer(
      decision: "approve",
      authenticationMethod: "user",
      reason: nil,
      at: instant
    )
    return notification(content, .approved, answer)
  }

  static var nodes: [Node] {
    var full = Collector(key: "p", type: "PasswordCollector", label: "P")
    (full.isRequired, full.isSecret, full.value, full.message) = (true, true, [1], "m")
    full.options = [Collector.Option(label: "l", value: "v")]
    full.validation = Collector.Validation(pattern: "^.$", message: "m")
    full.raw = ["type": "PASSWORD"]
    var page = SignOnPage()
    page.collectors = [Collector(key: "username", type: "TextCollector"), full]
    page.actions = [SignOnPage.Action(key: "k", label: "l", kind: .submit)]
    (page.title, page.description, page.stage, page.message) = ("t", "d", "s", "m")
    page.browserURL = "https://b.example/"
    let asking = Node(login: "l", outcome: .next, method: .signon, issuer: "https://a.example/as", page: page)
    var failed = Node(login: "l", outcome: .failure, method: .davinci, issuer: nil)
    failed.cause = "WHY"
    var done = Node(login: "l", outcome: .success, method: .signon, issuer: nil)
    (done.user, done.pairing) = (ann, .some(pairing))
    var nothing = done
    nothing.pairing = .some(nil)
    return [asking, failed, done, nothing]
  }

  static func session(of subject: String?) -> SignOnSession {
    SignOnSession(id: "s", issuer: "https://i.example/as", subject: subject, updatedAt: instant)
  }

  static func passcode(next: Passcode.Window?) -> Passcode {
    Passcode(
      account: "a",
      current: Passcode.Window(passcode: "012345", validFrom: 30, validUntil: 60),
      period: 30,
      remaining: 7,
      next: next
    )
  }

  static func status(_ geography: Geography?, _ known: Bool) -> ServiceStatusReport {
    ServiceStatusReport(
      version: "0.1.0",
      startedAt: instant,
      uptime: 5,
      owner: ServiceStatusReport.Owner(
        uid: 1000,
        isConfigured: geography != nil,
        geography: geography.map(Open.known),
        paired: 1,
        pending: 2,
        isPolling: known
      ),
      platform: ServiceStatusReport.Platform(
        url: "https://p.example",
        isPinned: known,
        isReachable: known ? true : nil,
        lastContact: known ? instant : nil
      ),
      sealing: known ? "key-file" : "unavailable",
      isMemoryLocked: known,
      pin: known ? .unlocked : .none,
      presence: ServiceStatusReport.Presence(methods: known ? [.pin] : [], requirement: known ? .all : .none),
      confinement: known ? ["landlock:6", "seccomp"] : [],
      rollback: known ? .file : .none,
      rolledBackAt: known ? instant : nil,
      isChecking: known,
      isClockSynchronized: known ? false : nil,
      clockOffset: known ? -3 : nil,
      posture: RawJSON(
        [
          "os": ["id": "debian", "version": "12", "kernel": "6.1.0-18-amd64"],
          "secureBoot": known ? "enabled" : "unknown", "diskEncryption": known ? "disabled" : "unknown",
          "kernelLockdown": known ? "integrity" : "unknown", "programProtected": known ? "yes" : "unknown",
          "stateProtected": known ? "no" : "unknown",
        ] as JSON
      )
    )
  }

  static var account: Account {
    Account(
      id: "a",
      geography: .canada,
      environment: "e",
      user: ann,
      label: "ann",
      nickname: "desk",
      authenticators: authenticators,
      lock: AccountLock(policy: "PUSH_LIMIT", expiresAt: instant),
      createdAt: instant,
      state: .revoked
    )
  }

  static func device(full: Bool) -> DeviceRecord {
    var device = DeviceRecord(user: ann, environment: "e", device: "d", isPushEnabled: full)
    guard full else { return device }
    device.device.nickname = "desk"
    device.device.lock = AccountLock(policy: "push limit", expiresAt: instant)
    device.evaluation = DeviceRecord.Evaluation(status: "Failed", reason: "r", dataHash: "h")
    return device
  }

  static func code(_ status: AuthenticationObject.Status) -> AuthenticationObject {
    AuthenticationObject(
      id: "c",
      status: status,
      users: [ann, User(id: "u-2")],
      userApproval: "REQUIRED",
      clientContext: status == .claimed ? ["x": 1] : nil,
      expiresAt: instant
    )
  }

  static func entry(target: String?) -> AuditEntry {
    AuditEntry(
      id: "e",
      at: instant,
      owner: 1000,
      method: "notification.deny",
      target: target,
      outcome: "DENIED_REPORT_FRAUD"
    )
  }

  static let figures = ServiceFigures(
    connections: 1,
    requests: ServiceFigures.Requests(total: 2, errors: 1),
    owners: 1,
    notifications: ServiceFigures.Notifications(pending: 2, total: 3),
    residentBytes: 16_777_216,
    openFiles: 9,
    databaseBytes: 4096
  )

  static let wholeFigures = ServiceFigures(
    connections: 1,
    requests: ServiceFigures.Requests(
      total: 2,
      errors: 1,
      reasons: [ServiceFigures.Reason(reason: "LOCKED", count: 1)]
    ),
    owners: 1,
    notifications: ServiceFigures.Notifications(pending: 2, total: 3),
    residentBytes: 16_777_216,
    openFiles: 9,
    databaseBytes: 4096,
    approvals: ServiceFigures.Approvals(approved: 1, denied: 2, expired: 3, cancelled: 4),
    platforms: [
      ServiceFigures.Platform(url: "https://platform.example", isReachable: true, lastContact: instant),
      ServiceFigures.Platform(url: "https://platform.example", isReachable: nil, lastContact: nil),
    ],
    lastBackup: instant
  )

  /// At least one value of each shape, with all and with no optional members.
  static var values: [any ControlValue] {
    let plain = notification(NotificationObject.Content(), .pending, nil)
    return nodes as [any ControlValue] + [
      Nothing(), Samples.health,
      ann, User(id: "u-1"), User(id: "u-1", family: "Lee"), pairing, account, fullNotification,
      plain,
      NotificationResult(plain), NotificationResult(fullNotification, confirmationInfo: ["ok": true]),
      NotificationResult(plain, lock: account.lock),
      NotificationResult(plain, lock: AccountLock(policy: "DEVICE_BLOCKED", expiresAt: nil)),
      NotificationCategory.all[0],
      PairingInfo(account: "a", user: ann, authenticators: authenticators),
      PairingInfo(account: "a", user: ann, authenticators: authenticators, wantsNickname: true),
      code(.claimed), code(.denied),
      Passcode.counted(CountedPasscode(account: "a", passcode: "755224", counter: 0)), LostEvents(count: 3),
      ControlEvent(subscription: "s", topic: "pairing", sequence: 1, payload: RawJSON(pairing)),
      passcode(next: nil), passcode(next: Passcode.Window(passcode: "1", validFrom: 60, validUntil: 90)),
      status(nil, false), status(.europe, true),
      AccountImport.Result(
        accounts: [Samples.oathAccount],
        skipped: [.init(index: 1, issuer: "ACME", label: "bob", reason: .known(.exists), message: "m")]
      ),
      DeviceRemoveLocalData.Removed(accounts: 1, notifications: 2), code(.expired),
      DeviceConfigure.Result(geography: .singapore, deviceID: "d"), device(full: false), device(full: true),
      DeviceReport(geos: [], errors: [GeographyError(.canada, .noConnectivity)]),
      DeviceReport(
        geos: [DeviceReport.Geo(geography: .europe, deviceID: "d", users: [device(full: true)])],
        errors: []
      ), GeographyError(.europe, .serverError),
      PushChannelReport(
        isPushEnabled: true,
        errors: [GeographyError(.europe, .serverError)],
        address: "a",
        subscription: PushSubscription(
          endpoint: "e",
          keys: PushSubscription.Keys(publicKey: "k", authSecret: "s")
        )
      ),
      PushTestReport(PushTestReport.Name.allCases.map { PushTestReport.Test($0, .pass) }),
      PushTestReport([PushTestReport.Test(.token, .fail, "there is none")]),
      PayloadGenerate.Result(mobilePayload: "x.y.z", expiresAt: instant),
      entry(target: nil), entry(target: "n"), AuditVerification(entries: 3, isSound: true),
      AuditVerification(entries: 0, isSound: false, brokenAt: "e"),
      Owner(uid: 1000, accounts: 2, createdAt: instant),
      Backup(file: "/b", bytes: 4096, createdAt: instant), figures, wholeFigures,
      ["sub": "u"] as JSONObject, session(of: nil), session(of: "u"),
      OpenRPC.document(of: MethodTable.all, version: "1"),
    ] + authenticators
  }

  @Test("every value fits the schema of its type")
  func shapes() {
    for value in Self.values {
      #expect(type(of: value).schema.accepts(value.json), "\(type(of: value)) \(value.json.text.prefix(400))")
    }
  }
}
