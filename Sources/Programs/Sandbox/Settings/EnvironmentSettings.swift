import EventLoop
import HTTPServer
import JSON

/// The settings of the environment, with PingOne's names: for the application of the daemons, the device
/// policy, multi-factor authentication, and the requirements on machines.
struct EnvironmentSettings: Codable, Sendable {
  var application: Application
  var policy: Policy
  private(set) var mfaSettings = MFASettings()
  private(set) var integrity = DeviceRequirements()

  /// Reads the settings of a document; omitted settings have their defaults.
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

  /// Parts of the document, with the members that can be changed.
  static let parts: [(name: String, members: [(path: [String], input: FormInput)])] = [
    ("application", Application.fields.inputs()), ("policy", Policy.fields.inputs()),
    ("mfaSettings", MFASettings.fields.inputs()), ("integrity", DeviceRequirements.fields.inputs()),
  ].map { part, members in (part, members.map { ([part] + $0.path, $0.input) }) }

  /// Returns the path of the first member of a patch that is not a setting.
  ///
  /// `settings` are the settings after the patch.
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

  /// Returns true if a patch may name a member that the patched settings lack: a setting without a value, or
  /// a part of a setting that a null removes.
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

  /// Merges the body into the settings, RFC 7396; a null restores the default.
  private static func change(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard ["application/json", "application/merge-patch+json"].contains(call.request.headers.mediaType) else {
      throw .unsupportedMediaType
    }
    guard let patch = try? JSON(parsing: call.request.body) else {
      throw .invalidRequest("The request could not be completed. The body is not JSON.")
    }
    try call.tenant.changeSettings(by: patch)
    return call.tenant.shownSettings
  }
}

extension Tenant {
  fileprivate var shownSettings: HTTPResponse { .plain(200, self.settings.json) }

  fileprivate func changeSettings(by patch: JSON) throws(ErrorResponse) {
    // A member that a null removes gets its default again, including one half of a duration.
    let merged = patch.isNull ? [:] : self.defaults.json.merging(self.settings.json.merging(patch))
    let settings = try EnvironmentSettings(merged, defaults: self.defaults)
    if let unknown = EnvironmentSettings.unknownMember(of: patch, settings.json) {
      throw .invalid(unknown, "is not a setting")
    }
    self.settings = settings
  }
}

extension JSON {
  /// Returns the value with a merge patch applied, RFC 7396 section 2.
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

    /// Returns the random part of a key, which follows the two characters of its geography.
    var random: String {
      switch self {
      case .numeric: randomText(12, of: digits)
      case .alphanumeric: randomText(16, of: codeAlphabet)
      }
    }
  }

  private(set) var maximumDevices = 5
  private(set) var pairingKeyFormat = PairingKeyFormat.numeric
  /// Number of failures until a user is locked, `nil` for no limit.
  private(set) var failureCount: Int?
  /// Duration of a lock in seconds, `nil` if only an administrator can unlock the user.
  private(set) var lockSeconds: Int?
  /// True if multi-factor authentication is on for new users.
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
