internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import Text
internal import WebAddress

/// A step of a sign-on policy, as returned by PingOne's flows API.
struct PolicyStep: Sendable {
  /// The state of the flow, for instance `USERNAME_PASSWORD_REQUIRED`.
  let status: String
  /// URL that returns the authorization response of a completed flow.
  let resume: WebURL?
  /// URLs of the actions, by name.
  let links: [String: WebURL]
  /// Embedded data: the user, the devices and the attributes to fill in.
  let embedded: JSON
  /// The error of a failed flow.
  let error: JSON?
  /// Identifier of the device that the server has selected for the step, if any.
  let selectedDevice: String?
  /// The number that the user enters on the device.
  let number: Int?

  /// True if this response to an authorization request is a policy step; false if it is a DaVinci page.
  static func describes(_ json: JSON) -> Bool {
    json["status"]?.string != nil && (json["resumeUrl"] != nil || json["_links"]?["self"] != nil)
      && json["_links"]?["next"] == nil && json["connectorId"] == nil
  }

  /// Reads a step; throws if it is not a step, or if a supported link has another origin.
  init(_ json: JSON, origin: Origin) throws(SignOnFailure) {
    guard let status = json["status"]?.string, status.utf8.count <= 64 else { throw .malformed }
    var links: [String: WebURL] = [:]
    for member in json["_links"]?.object?.members ?? [] {
      guard let text = member.value["href"]?.string else { continue }
      guard let url = WebURL(text), url.origin == origin else {
        // Unsupported links may have any origin, for instance for registration at another provider.
        guard member.name != "self", !PolicyAction.all.contains(where: { $0.name == member.name }) else {
          throw .foreignLink
        }
        continue
      }
      links[member.name] = url
    }
    if let text = json["resumeUrl"]?.string {
      guard let url = WebURL(text), url.origin == origin else { throw .foreignLink }
      resume = url
    } else {
      resume = nil
    }
    (self.status, self.links) = (status, links)
    (embedded, error) = (json["_embedded"] ?? [:], json["error"])
    selectedDevice = (json["selectedDevice"] ?? embedded["selectedDevice"])?["id"]?.string
    number = json["numberMatching"]?["number"]?.int
  }

  /// True if the flow is completed.
  var isCompleted: Bool { status == "COMPLETED" }

  /// Identifier of the user, once known.
  var user: String? { embedded["user"]?["id"]?.string }
}

extension PolicyStep {
  /// The actions that this step offers and mfad supports.
  var actions: [PolicyAction] { PolicyAction.all.filter { links[$0.name] != nil } }

  /// True if the step waits until a push is answered on a device.
  var waitsForPush: Bool { status == "PUSH_CONFIRMATION_REQUIRED" }

  /// The action that submits the step's fields; `nil` if the step waits.
  var submit: PolicyAction? { waitsForPush ? nil : actions.first { $0.kind == .submit } }

  /// Returns the page for the user; throws if the step cannot be answered here.
  ///
  /// With `chosen`, the page has the fields of the chosen action, not those of the default action.
  func page(choosing chosen: PolicyAction? = nil) throws(SignOnFailure) -> SignOnPage {
    if status == "EXTERNAL_AUTHENTICATION_REQUIRED" || status.hasPrefix("ACCOUNT_LINKING") {
      throw .unsupported("this account signs on with another provider, which needs a browser")
    }
    if status == "ASSERTION_REQUIRED" {
      throw .unsupported("this account signs on with a security key, which needs a browser")
    }
    var page = SignOnPage()
    page.title = chosen?.label ?? Self.titles[status] ?? "Sign On"
    page.description = (embedded["promptText"] ?? embedded["agreement"]?["text"])?.string.map {
      DisplayText.clean($0, maximum: DisplayText.bodyLength)
    }
    if waitsForPush, chosen == nil {
      page.collectors =
        numberToShow + [
          Collector(key: "push", type: "PollingCollector", label: "Waiting for the answer")
        ]
      page.actions = actions.map { SignOnPage.Action(key: $0.name, label: $0.label, kind: .flow) }
      return page
    }
    guard let main = chosen ?? submit else {
      throw .unsupported("this step cannot be answered here: \(DisplayText.clean(status))")
    }
    page.collectors = main.collectors(self)
    try page.collectors.requireFewOptions()
    page.actions = [SignOnPage.Action(key: main.name, label: main.label, kind: .submit)]
    page.actions += actions.filter { $0.name != main.name }.map {
      SignOnPage.Action(key: $0.name, label: $0.label, kind: $0.kind == .submit ? .flow : $0.kind)
    }
    page.message = Self.notes[status]
    return page
  }

  /// The number that the user enters on the device.
  private var numberToShow: [Collector] {
    guard let number else { return [] }
    var collector = Collector(key: "number", type: "LabelCollector", label: "Number")
    collector.value = .string("\(number)")
    return [collector]
  }

  private static let titles = [
    "USERNAME_PASSWORD_REQUIRED": "Sign On", "SIGN_ON_REQUIRED": "Sign On", "PASSWORD_REQUIRED": "Sign On",
    "MUST_CHANGE_PASSWORD": "Change password", "PASSWORD_EXPIRED": "Change password",
    "RECOVERY_CODE_REQUIRED": "Recover the account", "VERIFICATION_CODE_REQUIRED": "Verify the account",
    "DEVICE_SELECTION_REQUIRED": "Choose a device", "OTP_REQUIRED": "Passcode",
    "PUSH_CONFIRMATION_REQUIRED": "Confirm on your device", "PUSH_CONFIRMATION_TIMED_OUT": "Choose a device",
    "PROFILE_DATA_REQUIRED": "Your profile", "CONSENT_REQUIRED": "Agreement",
    "AGREEMENT_CONSENT_REQUIRED": "Agreement",
    "DAG_USER_CODE_REQUIRED": "Device code", "DAG_CONSENT_REQUIRED": "Confirm the device",
  ]

  private static let notes = [
    "PASSWORD_EXPIRED": "the password has expired and must be changed",
    "MUST_CHANGE_PASSWORD": "the password has to be changed",
    "PUSH_CONFIRMATION_TIMED_OUT": "the request was not answered in time",
  ]
}

extension PolicyStep {
  /// Returns the checked values of a step; throws if one is missing, unknown or not permitted.
  static func values(_ given: JSONObject, for collectors: [Collector]) throws -> JSONObject {
    let keys = Set(collectors.map(\.key))
    guard Set(given.names).isSubset(of: keys) else { throw RPCError.invalidParameter("values") }
    var values = JSONObject()
    for collector in collectors {
      guard let value = given[collector.key] ?? collector.value else {
        if collector.isRequired { throw RPCError.invalidParameter("values") }
        continue
      }
      if collector.type == "BooleanCollector" {
        guard let flag = value.bool ?? value.string.flatMap({ Bool($0) }) else {
          throw RPCError.invalidParameter("values")
        }
        values[collector.key] = .bool(flag)
        continue
      }
      guard let text = value.string, !(collector.isRequired && text.isEmpty),
        collector.options.isEmpty || collector.options.contains(where: { $0.value == text })
      else { throw RPCError.invalidParameter("values") }
      values[collector.key] = value
    }
    return values
  }

  /// Returns the message for an error with details about the user's input; `nil` for any other error.
  static func wrongInput(_ error: JSON) -> String? {
    guard let detail = error["details"]?.array?.first else { return nil }
    if ["username", "password"].contains(detail["target"]?.string ?? "") {
      return "the username or password is not right"
    }
    return (detail["message"]?.string ?? error["message"]?.string).map { DisplayText.clean($0) }
  }
}
