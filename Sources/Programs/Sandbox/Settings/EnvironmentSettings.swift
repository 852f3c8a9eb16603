import EventLoop
import HTTPServer
import JSON

/// The settings of the environment, by the names that PingOne gives them: of the application that daemons are, of the
/// policy for devices, of multi-factor authentication, and of the requirements on machines.
struct EnvironmentSettings: Codable, Sendable {
  var application: Application
  var policy: Policy
  private(set) var mfaSettings = MFASettings()
  private(set) var integrity = DeviceRequirements()

  /// The settings that a document gives; each that it leaves out has its default.
  init(_ document: JSON, defaults: EnvironmentSettings) throws(ErrorResponse) {
    self = defaults
    guard let object = document.object else { throw .invalidRequest("The settings must be a JSON object.") }
    let members = Members(object)
    try Application.fields.update(&application, from: members.members("application") ?? Members())
    try Policy.fields.update(&policy, from: members.members("policy") ?? Members())
    try MFASettings.fields.update(&mfaSettings, from: members.members("mfaSettings") ?? Members())
    try DeviceRequirements.fields.update(&integrity, from: members.members("integrity") ?? Members())
    try application.requireCacheDuration()
    try mfaSettings.requireFailureCount()
  }

  init(application: Application, policy: Policy) {
    self.application = application
    self.policy = policy
  }

  var json: JSON {
    .of([
      "application": Application.fields.json(of: application), "policy": Policy.fields.json(of: policy),
      "mfaSettings": MFASettings.fields.json(of: mfaSettings),
      "integrity": DeviceRequirements.fields.json(of: integrity),
    ])
  }

  /// The parts of the document, with the members that each can change.
  static let parts: [(name: String, members: [(path: [String], input: FormInput)])] = [
    ("application", Application.fields.inputs()), ("policy", Policy.fields.inputs()),
    ("mfaSettings", MFASettings.fields.inputs()), ("integrity", DeviceRequirements.fields.inputs()),
  ].map { part, members in (part, members.map { ([part] + $0.path, $0.input) }) }

  /// The path of the first member of a patch that is no setting; `settings` are those that it has led to.
  fileprivate static func unknownMember(
    of patch: JSON,
    _ settings: JSON?,
    below path: [String] = []
  ) -> String? {
    for member in patch.object?.members ?? [] {
      let (place, setting) = (path + [member.name], settings?[member.name])
      guard setting != nil || isAbsent(member.value, at: place) else { return place.joined(separator: ".") }
      if let unknown = unknownMember(of: member.value, setting, below: place) { return unknown }
    }
    return nil
  }

  /// Whether a member of a patch may have led to nothing: a setting without a value, or a part of one that a null took
  /// away.
  private static func isAbsent(_ value: JSON, at place: [String]) -> Bool {
    parts.lazy.flatMap(\.members).contains { path, _ in
      path.starts(with: place) || value.isNull && place.starts(with: path)
    }
  }
}

@EventLoop
enum SettingsRoutes {
  private static let path = "/sandbox/settings"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", path) { $0.tenant.shownSettings }, .administrator("PATCH", path, change),
  ]

  /// Merges the body into the settings, RFC 7396: a null puts what it stands for back to its default.
  private static func change(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard ["application/json", "application/merge-patch+json"].contains(call.request.headers.mediaType) else {
      throw .unsupportedMediaType
    }
    guard let patch = try? JSON(parsing: call.request.body) else {
      throw .invalidRequest("The request could not be completed. The body is no JSON.")
    }
    try call.tenant.changeSettings(by: patch)
    return call.tenant.shownSettings
  }
}

extension Tenant {
  fileprivate var shownSettings: HTTPResponse { .plain(200, self.settings.json) }

  fileprivate func changeSettings(by patch: JSON) throws(ErrorResponse) {
    // A member that a null has removed is that of the defaults again, also one half of a duration.
    let merged = patch.isNull ? [:] : self.defaults.json.merging(self.settings.json.merging(patch))
    let settings = try EnvironmentSettings(merged, defaults: self.defaults)
    if let unknown = EnvironmentSettings.unknownMember(of: patch, settings.json) {
      throw .invalid(unknown, "is no setting")
    }
    self.settings = settings
  }
}

extension JSON {
  /// The value with a merge patch applied to it, RFC 7396 section 2.
  fileprivate func merging(_ patch: JSON) -> JSON {
    guard let changes = patch.object else { return patch }
    var merged = object ?? [:]
    for change in changes.members {
      merged[change.name] =
        change.value.isNull ? nil : (merged[change.name] ?? .null).merging(change.value)
    }
    return .object(merged)
  }
}

struct MFASettings: Codable, Sendable {
  enum PairingKeyFormat: String, CaseIterable, Codable, Shown {
    case numeric = "NUMERIC"
    case alphanumeric = "ALPHANUMERIC"

    /// The characters of a key after the two of its geography.
    var random: String {
      switch self {
      case .numeric: randomText(12, of: digits)
      case .alphanumeric: randomText(16, of: codeAlphabet)
      }
    }
  }

  private(set) var maximumDevices = 5
  private(set) var pairingKeyFormat = PairingKeyFormat.numeric
  /// After how many failures a user is locked; `nil` for never.
  private(set) var failureCount: Int?
  /// For how many seconds a user is locked; `nil` until an administrator unlocks the user.
  private(set) var lockSeconds: Int?
  /// Whether users are created with multi-factor authentication switched on.
  private(set) var isOnForNewUsers = false

  static let fields: [ResourceField<MFASettings>] = [
    ResourceField("pairing.maxAllowedDevices", \.maximumDevices, .int(1...15)),
    ResourceField("pairing.pairingKeyFormat", \.pairingKeyFormat, .choice),
    ResourceField("users.mfaEnabled", \.isOnForNewUsers, .flag),
    ResourceField("lockout.failureCount", \.failureCount, .int(1...100)),
    ResourceField("lockout.durationSeconds", \.lockSeconds, .int(1...31_622_400)),
  ]

  func requireFailureCount() throws(ErrorResponse) {
    guard lockSeconds == nil || failureCount != nil else {
      throw .invalid("mfaSettings.lockout.failureCount", "must be given", code: "REQUIRED_VALUE")
    }
  }
}
