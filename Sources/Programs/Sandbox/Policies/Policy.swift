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
  /// How many wrong passcodes in a row close a device for passcodes, and for how long.
  private(set) var passcodeFailures = 3
  private(set) var passcodeCoolDown = TimeSpan(2, .minutes)
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
    Field("mobile.otp.failure.count", \.passcodeFailures, .int(1...7)),
    Field("mobile.otp.failure.coolDown", \.passcodeCoolDown, .span(2...1800, .seconds, .minutes)),
    Field("mobile.applications", \.applicationsJSON),
  ]

  private var applicationsJSON: [JSONObject] {
    applications.map { JSONObject(of: ["id": $0.id]).adding(ApplicationRules.fields.json(of: $0.rules)) }
  }

  func json(in tenant: Tenant) -> JSON {
    let context = JSONObject(of: [
      "default": id == tenant.policy.id, "environment": tenant.environment.id.reference,
      "_links": JSON.links([
        "self": "\(tenant.managementURL)/deviceAuthenticationPolicies/\(id.text)",
        "environment": tenant.managementURL,
      ]),
    ])
    return .object(Self.fields.json(of: self).adding(context))
  }

  /// What the policy says for an application; one that it does not name has the defaults.
  func rules(for application: ID<Application>) -> ApplicationRules {
    applications.first { $0.id == application }?.rules ?? ApplicationRules()
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
    for application in try body.members("mobile")?.list("applications") ?? [] {
      let id = try application.text("id", maximum: 64).map { ID<Application>($0) } ?? standard
      var rules = rules(for: id)
      try ApplicationRules.fields.update(&rules, from: application)
      setRules(rules, for: id)
    }
  }

  var applicationIDs: [ID<Application>] { applications.map(\.id) }
}
