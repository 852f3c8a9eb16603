import Configuration
import JSON
import Testing
import Time

@testable import ControlAPI

@Suite("Values")
struct ValueTests {
  private static let instant = Timestamp(seconds: 1_795_251_600)
  private static let ann = User(id: "u-1", username: "ann", email: "a@b.c", given: "Ann", family: "Lee")
  private static let pairing = PairingRequest(
    id: "p",
    user: ann,
    environment: "e",
    geography: .europe,
    expiresAt: instant
  )
  private static let authenticators = [
    PairedAuthenticator(type: "PUSH", status: "COMPLETED"),
    PairedAuthenticator(type: "OTP", status: "FAILED", errorCode: "X", errorMessage: "x"),
  ]

  private static func notification(
    _ content: NotificationObject.Content,
    _ state: NotificationObject.State,
    _ answer: NotificationObject.Answer?
  ) -> NotificationObject {
    NotificationObject(
      id: "n",
      account: "a",
      kind: .authentication,
      state: state,
      content: content,
      timeoutDuration: 120,
      receivedAt: instant,
      expiresAt: instant.adding(seconds: 120),
      answer: answer
    )
  }

  private static var fullNotification: NotificationObject {
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

  private static var nodes: [Node] {
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
    let asking = Node(login: "l", outcome: .next, method: .signon, page: page)
    var failed = Node(login: "l", outcome: .failure, method: .davinci)
    failed.cause = "WHY"
    var done = Node(login: "l", outcome: .success, method: .signon)
    (done.user, done.pairing) = (ann, .some(pairing))
    var nothing = done
    nothing.pairing = .some(nil)
    return [asking, failed, done, nothing]
  }

  private static func session(of subject: String?) -> SignOnSession {
    SignOnSession(id: "s", issuer: "https://i.example/as", subject: subject, updatedAt: instant)
  }

  private static func passcode(next: Passcode.Window?) -> Passcode {
    Passcode(
      account: "a",
      current: Passcode.Window(passcode: "012345", validFrom: 30, validUntil: 60),
      period: 30,
      remaining: 7,
      next: next
    )
  }

  private static func status(_ geography: Geography?, _ known: Bool) -> ServiceStatusReport {
    ServiceStatusReport(
      version: "0.1.0",
      startedAt: instant,
      uptime: 5,
      owner: ServiceStatusReport.Owner(
        uid: 1000,
        geography: geography,
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

  private static var account: Account {
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

  private static func device(full: Bool) -> DeviceRecord {
    var device = DeviceRecord(user: ann, environment: "e", device: "d", isPushEnabled: full)
    guard full else { return device }
    device.nickname = "desk"
    device.lock = AccountLock(policy: "push limit", expiresAt: instant)
    device.evaluation = DeviceRecord.Evaluation(status: "Failed", reason: "r", dataHash: "h")
    return device
  }

  private static func code(_ status: AuthenticationObject.Status) -> AuthenticationObject {
    AuthenticationObject(
      id: "c",
      status: status,
      users: [ann, User(id: "u-2")],
      userApproval: "REQUIRED",
      clientContext: status == .claimed ? ["x": 1] : nil,
      expiresAt: instant
    )
  }

  private static func entry(target: String?) -> AuditEntry {
    AuditEntry(
      id: "e",
      at: instant,
      owner: 1000,
      method: "notification.deny",
      target: target,
      outcome: "DENIED_REPORT_FRAUD"
    )
  }

  private static let figures = ServiceFigures(
    traffic: ServiceFigures.Traffic(connections: 1, requests: 2, errors: 1),
    stock: ServiceFigures.Stock(owners: 1, pending: 2, pushes: 3, databaseBytes: 4096),
    process: ServiceFigures.Process(residentBytes: 1 << 24, openFiles: 9)
  )

  /// One value of each shape at least, with everything and with nothing that can be left out.
  private static var values: [any ControlValue] {
    let plain = notification(NotificationObject.Content(), .pending, nil)
    return nodes as [any ControlValue] + [
      Nothing(), ann, User(id: "u-1"), User(id: "u-1", family: "Lee"), pairing, account, fullNotification,
      plain,
      NotificationAnswer(plain), NotificationAnswer(fullNotification, confirmationInfo: ["ok": true]),
      NotificationAnswer(plain, lock: account.lock),
      NotificationAnswer(plain, lock: AccountLock(policy: "DEVICE_BLOCKED", expiresAt: nil)),
      NotificationCategories.Answer(),
      PairingInfo(account: "a", user: ann, authenticators: authenticators),
      PairingInfo(account: "a", user: ann, authenticators: authenticators, wantsNickname: true),
      code(.claimed), code(.denied),
      Passcode.counted(CountedPasscode(account: "a", passcode: "755224", counter: 0)), LostEvents(count: 3),
      ControlEvent(subscription: "s", topic: "pairing", sequence: 1, payload: RawJSON(pairing)),
      passcode(next: nil), passcode(next: Passcode.Window(passcode: "1", validFrom: 60, validUntil: 90)),
      status(nil, false), status(.europe, true), AccountList.Answer(accounts: [account]),
      AccountRemove.Answer(remainsOnServer: true), DeviceRotateKeys.Answer(rotatedAt: instant),
      DeviceRemoveLocalData.Answer(accounts: 1, notifications: 2),
      AuthenticationApprove.Answer(status: .completed), AuthenticationDeny.Answer(status: .denied),
      AuthenticationList.Answer(authentications: [code(.expired)]),
      DeviceConfigure.Answer(geography: .singapore, deviceID: "d"), device(full: false), device(full: true),
      DeviceReport(geos: [], errors: [GeographyError(.canada, .noConnectivity)]),
      DeviceReport(
        geos: [DeviceReport.Geo(geography: .europe, deviceID: "d", users: [device(full: true)])],
        errors: []
      ), GeographyError(.europe, .serverError),
      PushChannelReport(isPushEnabled: true, errors: [GeographyError(.europe, .serverError)]),
      PushTestReport(PushTestReport.Name.allCases.map { PushTestReport.Test($0, .pass) }),
      PushTestReport([PushTestReport.Test(.token, .fail, "there is none")]),
      DeviceSendLogs.Answer(supportID: "s"), DeviceSetKeepOnReinstall.Answer(keep: true),
      EventSubscribe.Answer(subscription: "s"),
      NotificationList.Answer(notifications: [plain, fullNotification]),
      NotificationProcess.Answer(notification: nil), NotificationProcess.Answer(notification: plain),
      PairingList.Answer(pairings: [pairing]), PairingProcessIDToken.Answer(pairing: nil),
      PairingProcessIDToken.Answer(pairing: pairing),
      PayloadGenerate.Answer(mobilePayload: "x.y.z", expiresAt: instant),
      AuditList.Answer(entries: [entry(target: nil), entry(target: "n")]),
      OwnerList.Answer(owners: [Owner(uid: 1000, accounts: 2, createdAt: instant)]), figures,
      Claims(["sub": "u"]), SessionList.Answer(sessions: []),
      SessionList.Answer(sessions: [session(of: nil), session(of: "u")]),
      RawJSON(OpenRPC.document(of: MethodTable.all, version: "1")),
    ] + authenticators
  }

  @Test("every value has the shape that its type describes")
  func shapes() {
    for value in Self.values {
      #expect(type(of: value).schema.accepts(value.json), "\(type(of: value)) \(value.json.text.prefix(400))")
    }
  }

  /// A value that was read from what another wrote.
  private static func reread<Value: ControlValue>(_ value: Value, _ json: JSON) throws -> JSON {
    try Value(reading: json).json
  }

  @Test("every value is read back as it was written, also beside members that nobody knows yet")
  func reading() throws {
    for value in Self.values {
      let json = value.json
      #expect(try Self.reread(value, json) == json, "\(type(of: value))")
      guard !(value is RawJSON), !(value is Claims), !(value is DeviceReport) else { continue }
      #expect(try Self.reread(value, json.withNovelties) == json, "\(type(of: value))")
    }
  }

  @Test("what is not the value that it has to be is refused, with the member that is wrong")
  func unreadable() {
    for json in [.null, 1, "x", [], ["account": "a"]] as [JSON] {
      #expect(throws: UnreadableValue.self) { try PairingInfo(reading: json) }
    }
    var account = Self.account.json.object ?? [:]
    account["user"] = ["username": "ann"]
    let error = #expect(throws: UnreadableValue.self) { try Account(reading: .object(account)) }
    #expect(error?.path == ["user", "id"])
    account["user"] = ["id": 1]
    let other = #expect(throws: UnreadableValue.self) { try Account(reading: .object(account)) }
    #expect(other?.path == ["user", "id"])
  }

  @Test("a choice that nobody knows yet is kept as it was told")
  func unknownChoices() throws {
    var json = Self.account.json.object ?? [:]
    (json["kind"], json["geo"], json["state"]) = ("WALLET", "Atlantis", "dormant")
    let account = try Account(reading: .object(json))
    #expect(account.kind == .unknown("WALLET") && account.geography == .unknown("Atlantis"))
    #expect(account.state == .unknown("dormant") && account.state.choice == nil)
    #expect(account.json == .object(json))
    #expect(try Account(reading: Self.account.json).kind == .pingOne)
  }

  @Test("every method's answer is among them")
  func complete() {
    let types = Set(Self.values.map { ObjectIdentifier(type(of: $0)) })
    for method in MethodTable.all { #expect(types.contains(Self.answer(of: method)), "\(method.name)") }
  }

  private static func answer<Method: ControlMethod>(of method: Method.Type) -> ObjectIdentifier {
    ObjectIdentifier(Method.Answer.self)
  }

  @Test("a value with one member too many, too few or of another shape has not the shape")
  func counterexamples() {
    for value in Self.values {
      guard let object = value.json.object, !(value is RawJSON), !(value is Claims) else {
        continue
      }
      let schema = type(of: value).schema
      var more = object
      more["unknown"] = 1
      #expect(!schema.accepts(.object(more)), "\(type(of: value))")
      for name in Self.requiredNames(of: schema) {
        var fewer = object
        fewer[name] = nil
        #expect(!schema.accepts(.object(fewer)), "\(type(of: value)) without \(name)")
        var other = object
        other[name] = [[["x"]]]
        #expect(!schema.accepts(.object(other)), "\(type(of: value)) \(name)")
      }
    }
  }

  /// The members that must be there and cannot be anything.
  private static func requiredNames(of schema: Schema) -> [String] {
    switch schema {
    case .object(let properties):
      properties.filter { if case .anything = $0.schema { false } else { $0.isRequired } }.map(\.name)
    case .named(let named): requiredNames(of: named.schema)
    default: []
    }
  }

  @Test("the members that the interface fixes are there by their names")
  func names() {
    #expect(
      Self.fullNotification.json.object?.names == [
        "id", "account", "type", "state", "title", "body", "clientContext", "applicationContext", "category",
        "numberMatching", "timeoutDuration", "receivedAt", "expiresAt", "answer",
      ]
    )
    #expect(
      Self.passcode(next: nil).json
        == [
          "account": "a", "passcode": "012345", "validFrom": 30, "validUntil": 60, "timeWindowSize": 30,
          "remaining": 7,
        ]
    )
    #expect(
      Self.ann.json
        == ["id": "u-1", "username": "ann", "email": "a@b.c", "name": ["given": "Ann", "family": "Lee"]]
    )
    #expect(
      Self.code(.denied).json["users"]?.array?.first
        == ["userId": "u-1", "username": "ann", "email": "a@b.c", "given": "Ann", "family": "Lee"]
    )
    #expect(Self.nodes.last?.json["pairing"] == .null)
    #expect(Self.nodes.first?.json["pairing"] == nil)
  }
}

extension JSON {
  /// The same with one member more in every object that has members of fixed names.
  fileprivate var withNovelties: JSON {
    switch self {
    case .object(let object):
      let free: Set<String> = [
        "clientContext", "applicationContext", "confirmationInfo", "raw", "value", "payload", "posture",
      ]
      var more = JSONObject(
        object.members.map { ($0.name, free.contains($0.name) ? $0.value : $0.value.withNovelties) }
      )
      more["novelty"] = ["x": 1]
      return .object(more)
    case .array(let elements): return .array(elements.map(\.withNovelties))
    case .null, .bool, .number, .string: return self
    }
  }
}
