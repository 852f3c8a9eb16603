import JSON

/// A device authentication policy, with the documented defaults.
struct Policy: Stored, Codable {
  /// How a device is found for an authentication.
  enum DeviceSelection: String, CaseIterable, Codable {
    case defaultToFirst = "DEFAULT_TO_FIRST"
    case promptToSelect = "PROMPT_TO_SELECT"
    case alwaysDisplayDevices = "ALWAYS_DISPLAY_DEVICES"
  }

  /// How users hear of devices that were paired; the sandbox has nobody to send it to.
  enum NewDeviceNotification: String, CaseIterable, Codable {
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
  var deviceSelection = DeviceSelection.defaultToFirst
  var newDeviceNotification = NewDeviceNotification.none
  /// Whether users can authenticate who are locked for too many failures.
  var ignoresUserLock = false
  var mobile = MobileRules()
  private var applications: [NamedRules] = []

  static let maximumCount = 100
  private static let maximumName = 256

  init(id: ID<Policy>, name: String) {
    self.id = id
    self.name = name
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

  var json: JSONObject {
    let mobileApplications = applications.map { application in
      var members: JSONObject = ["id": .id(application.id)]
      for member in application.rules.json.members { members[member.name] = member.value }
      return JSON.object(members)
    }
    var mobileMembers = mobile.json
    mobileMembers["applications"] = .array(mobileApplications)
    return [
      "id": .id(id), "name": .string(name),
      "authentication": ["deviceSelection": .choice(deviceSelection)],
      "newDeviceNotification": .choice(newDeviceNotification), "ignoreUserLock": .bool(ignoresUserLock),
      "mobile": .object(mobileMembers),
    ]
  }

  /// Takes over what an update gives; what it leaves out stays as it is.
  ///
  /// Rules that name no application are for the standard one.
  mutating func update(from body: Members, standard: ID<Application>) throws(PingOneError) {
    name = try body.text("name", maximum: Self.maximumName) ?? name
    let authentication = try body.members("authentication")
    deviceSelection =
      try authentication?.choice("deviceSelection", of: DeviceSelection.self) ?? deviceSelection
    newDeviceNotification =
      try body.choice("newDeviceNotification", of: NewDeviceNotification.self) ?? newDeviceNotification
    ignoresUserLock = try body.bool("ignoreUserLock") ?? ignoresUserLock
    guard let members = try body.members("mobile") else { return }
    try mobile.update(from: members)
    for application in try members.list("applications") ?? [] {
      let id = try application.text("id", maximum: 64).map { ID<Application>($0) } ?? standard
      var rules = rules(for: id)
      try rules.update(from: application)
      setRules(rules, for: id)
    }
  }

  /// The applications that the policy names.
  var applicationIDs: [ID<Application>] { applications.map(\.id) }
}
