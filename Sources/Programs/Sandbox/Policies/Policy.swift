import JSON

/// A device authentication policy, with the documented defaults.
struct Policy: Resource, Codable {
  enum DeviceSelection: String, CaseIterable, Codable, Shown {
    case defaultToFirst = "DEFAULT_TO_FIRST"
    case promptToSelect = "PROMPT_TO_SELECT"
    case alwaysDisplayDevices = "ALWAYS_DISPLAY_DEVICES"
  }

  /// How users hear of devices that were paired; the sandbox has nobody to send it to.
  enum NewDeviceNotification: String, CaseIterable, Codable, Shown {
    case none = "NONE"
    case emailThenSMS = "EMAIL_THEN_SMS"
    case smsThenEmail = "SMS_THEN_EMAIL"
  }

  private struct NamedRules: Codable {
    let id: ID<Application>
    var rules: ApplicationRules
  }

  let id: ID<Policy>
  var name: String
  private(set) var deviceSelection = DeviceSelection.defaultToFirst
  private var newDeviceNotification = NewDeviceNotification.none
  /// Whether users can authenticate who are locked for too many failures.
  private(set) var ignoresUserLock = false
  private(set) var hasMobile = true
  private(set) var promptsForNickname = false
  private var passcodeLimit = PasscodeLimit()
  private var sms = MethodRules(isEnabled: true)
  private var voice = MethodRules(isEnabled: true)
  private var email = MethodRules(isEnabled: true)
  /// Off until an administrator wants it, as at PingOne.
  var totp = MethodRules(isEnabled: false)
  private var applications: [NamedRules] = []

  static let maximumCount = 100

  init(id: ID<Policy>, name: String) {
    self.id = id
    self.name = name
  }

  private static let fields: [Field<Policy>] = [
    Field("id", \.id), Field("name", \.name, .text()),
    Field("authentication.deviceSelection", \.deviceSelection, .choice),
    Field("newDeviceNotification", \.newDeviceNotification, .choice),
    Field("ignoreUserLock", \.ignoresUserLock, .flag), Field("mobile.enabled", \.hasMobile, .flag),
    Field("mobile.promptForNicknameOnPairing", \.promptsForNickname, .flag),
    Field("mobile.otp.failure.count", \.passcodeLimit.count, .int(1...7)),
    Field("mobile.otp.failure.coolDown", \.passcodeLimit.coolDown, .span(2...1800, .seconds, .minutes)),
    Field("mobile.applications", \.applicationsJSON),
  ]

  private typealias Method = (
    kind: MFADevice.Kind, rules: any WritableKeyPath<Policy, MethodRules> & Sendable,
    fields: [Field<MethodRules>]
  )

  private static let methods: [Method] = [
    (.sms, \.sms, MethodRules.sending), (.voice, \.voice, MethodRules.sending),
    (.email, \.email, MethodRules.sending), (.totp, \.totp, MethodRules.totp),
  ]

  private var applicationsJSON: [JSONObject] {
    applications.map { JSONObject(of: ["id": $0.id]).adding(ApplicationRules.fields.json(of: $0.rules)) }
  }

  func json(in tenant: Tenant) -> JSON {
    let methods = JSONObject(
      Self.methods.map { method in
        (method.kind.member, .object(method.fields.json(of: self[keyPath: method.rules])))
      }
    )
    let context = JSONObject(of: [
      "default": id == tenant.policy.id, "forSignOnPolicy": false,
      "environment": tenant.environment.id.reference,
      "_links": JSON.links([
        "self": "\(tenant.managementURL)/deviceAuthenticationPolicies/\(id.text)",
        "environment": tenant.managementURL,
      ]),
    ])
    return .object(Self.fields.json(of: self).adding(methods).adding(context))
  }

  /// What the policy says for an application; one that it does not name has the defaults.
  func rules(for application: ID<Application>) -> ApplicationRules {
    applications.first { $0.id == application }?.rules ?? ApplicationRules()
  }

  /// What the policy says of a method other than the app's, which has rules for each application.
  func rules(of kind: MFADevice.Kind) -> MethodRules {
    Self.methods.first { $0.kind == kind }.map { self[keyPath: $0.rules] } ?? MethodRules(isEnabled: false)
  }

  func takesPasscodes(of device: MFADevice) -> Bool {
    guard let mobile = device.mobile else { return rules(of: device.kind).isEnabled }
    return hasMobile && rules(for: mobile.application).isPasscodeEnabled
  }

  func passcodeLimit(of device: MFADevice) -> PasscodeLimit {
    device.mobile == nil ? rules(of: device.kind).limit : passcodeLimit
  }

  mutating func setRules(_ rules: ApplicationRules, for application: ID<Application>) {
    if let index = applications.firstIndex(where: { $0.id == application }) {
      applications[index].rules = rules
    } else {
      applications.append(NamedRules(id: application, rules: rules))
    }
  }

  /// Rules that name no application are for the standard one.
  mutating func update(from body: Members, standard: ID<Application>) throws(Refusal) {
    try Self.fields.update(&self, from: body)
    for method in Self.methods {
      guard let members = try body.members(method.kind.member) else { continue }
      try method.fields.update(&self[keyPath: method.rules], from: members)
    }
    for application in try body.members("mobile")?.list("applications") ?? [] {
      let id = try application.text("id", maximum: 64).map { ID<Application>($0) } ?? standard
      var rules = rules(for: id)
      try ApplicationRules.fields.update(&rules, from: application)
      setRules(rules, for: id)
    }
  }

  var applicationIDs: [ID<Application>] { applications.map(\.id) }
}

extension MFADevice.Kind {
  /// The member of a policy that is about the kind.
  fileprivate var member: String { rawValue.lowercased() }
}
