internal import ControlAPI
internal import JSON
internal import Text

/// One action of a step: its fields and the body of its request.
struct PolicyAction: Sendable {
  /// Name of the action, which the step's link and the request's media type also contain.
  let name: String
  let label: String
  let kind: SignOnPage.Action.Kind
  /// Returns the fields of the action at a step.
  let collectors: @Sendable (PolicyStep) -> [Collector]
  /// Returns the request body for the input.
  let body: @Sendable (JSONObject) -> JSON

  init(
    _ name: String,
    _ label: String,
    _ kind: SignOnPage.Action.Kind = .submit,
    asking collectors: @escaping @Sendable (PolicyStep) -> [Collector] = { _ in [] },
    body: @escaping @Sendable (JSONObject) -> JSON = { .object($0) }
  ) {
    (self.name, self.label, self.kind) = (name, label, kind)
    (self.body, self.collectors) = (body, collectors)
  }
}

extension PolicyAction {
  /// All supported actions; actions that submit the step's main fields come first.
  static let all: [PolicyAction] = [
    PolicyAction("usernamePassword.check", "Sign On") { _ in [username, password] },
    PolicyAction("password.check", "Sign On") { _ in [password] },
    PolicyAction("password.reset", "Change password") { _ in
      [secret("currentPassword", "Current password"), secret("newPassword", "New password")]
    },
    PolicyAction("password.recover", "Change password") { _ in
      [text("recoveryCode", "Recovery code"), secret("newPassword", "New password")]
    },
    PolicyAction("user.verify", "Verify") { _ in [text("verificationCode", "Verification code")] },
    PolicyAction("otp.check", "Use a passcode") { _ in [text("otp", "Passcode")] },
    PolicyAction(
      "device.select",
      "Use this device",
      asking: { [devices(of: $0)] },
      body: { ["device": ["id": $0["device"] ?? ""]] }
    ),
    PolicyAction("user.update", "Continue", asking: attributes, body: nested),
    PolicyAction("user.consent", "Continue") { _ in [agreement] },
    PolicyAction("user.confirm", "Continue"),
    PolicyAction("deviceAuthGrant.userCode.verify", "Continue") { _ in [text("userCode", "Code")] },
    PolicyAction("deviceAuthGrant.consent", "Continue") { _ in [agreement] },
    PolicyAction("user.lookup", "Next") { _ in [username] },
    PolicyAction("password.sendRecoveryCode", "Send another code", .flow),
    PolicyAction("user.sendVerificationCode", "Send another code", .flow),
    PolicyAction("otp.resend", "Send another passcode", .flow),
    PolicyAction("session.reset", "Sign on as somebody else", .flow),
    PolicyAction("password.forgot", "Forgot password", .link) { _ in [username] },
    PolicyAction("user.register", "Register", .link) { _ in [username, text("email", "E-mail"), password] },
  ]

  private static let username = text("username", "Username")
  private static let password = secret("password", "Password")

  private static let agreement: Collector = {
    var collector = Collector(key: "accept", type: "BooleanCollector", label: "I agree")
    collector.isRequired = true
    return collector
  }()

  private static func text(_ key: String, _ label: String) -> Collector {
    var collector = Collector(key: key, type: "TextCollector", label: label)
    collector.isRequired = true
    return collector
  }

  private static func secret(_ key: String, _ label: String) -> Collector {
    var collector = Collector(key: key, type: "PasswordCollector", label: label)
    (collector.isRequired, collector.isSecret) = (true, true)
    return collector
  }

  private static func devices(of step: PolicyStep) -> Collector {
    var collector = Collector(key: "device", type: "SingleSelectCollector", label: "Device")
    collector.isRequired = true
    collector.options = (step.embedded["devices"]?.array ?? []).compactMap { device in
      guard let id = device["id"]?.string else { return nil }
      let name = [device["nickname"], device["name"], device["phone"], device["email"]].compactMap {
        $0?.string
      }
      let parts = [device["type"]?.string].compactMap { $0 } + name.prefix(1)
      return Collector.Option(label: DisplayText.clean(parts.joined(separator: " ")), value: id)
    }
    collector.value = step.selectedDevice.map { .string($0) }
    return collector
  }

  /// Returns the attributes that a policy requests, for instance `name.given`.
  private static func attributes(of step: PolicyStep) -> [Collector] {
    (step.embedded["attributes"]?.array ?? []).prefix(SignOnPage.maximumFields).compactMap { attribute in
      guard let name = attribute["name"]?.string, name.utf8.count <= 128 else { return nil }
      let label = attribute["displayName"]?.string ?? name
      var collector = Collector(key: name, type: "TextCollector", label: DisplayText.clean(label))
      collector.isRequired = attribute["required"] == true
      return collector
    }
  }

  /// Converts dotted names to nested objects.
  private static func nested(_ values: JSONObject) -> JSON {
    var result = JSONObject()
    for member in values.members {
      let parts = member.name.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        result[member.name] = member.value
        continue
      }
      var inner = result[parts[0]]?.object ?? [:]
      inner[parts[1]] = member.value
      result[parts[0]] = .object(inner)
    }
    return .object(result)
  }
}
