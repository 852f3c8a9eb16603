import EventLoop
import JSON

/// A subject in placeholders `${subject.name}`, with the valid names and their values.
struct FlowSubject: Sendable {
  let names: Set<String>?
  let value: @EventLoop @Sendable (FlowPlay, String) -> JSON?

  static let variables = "flow"

  static let table: [String: FlowSubject] = [
    "answer": FlowSubject(names: nil) { play, name in FlowPlay.value(name, in: play.answers) },
    "given": FlowSubject(names: nil) { play, name in FlowPlay.value(name, in: play.given) },
    "request": FlowSubject(names: nil) { play, name in play.parameters[name].map { .string($0) } },
    variables: FlowSubject(names: nil) { play, name in play.variables[name] },
    "idp": FlowSubject(names: nil) { play, name in .string(play.identityProviderURL(button: name)) },
    "user": FlowSubject(names: [
      "id", "username", "email", "given", "family", "devices", "passwordStatus", "verified", "mfaEnabled",
    ]) { play, name in
      play.tenant.property(name, of: play)
    },
    "policy": FlowSubject(names: ["step", "noDeviceMode"]) { play, name in
      name == "step" ? play.policy?.steps.first.map { .string($0) } : play.policy.map { $0.noDeviceMode.json }
    },
    "authentication": FlowSubject(names: ["code", "message"]) { play, name in
      play.authentication.flatMap { play.tenant.authentications[$0]?.failure }?.json[name]
    },
    "sandbox": FlowSubject(names: ["url", "environment", "issuer", "application"]) { play, name in
      switch name {
      case "url": .string(play.tenant.url)
      case "application": .string(play.tenant.application.name)
      case "environment": play.tenant.environment.id.json
      default: .string(play.tenant.issuer)
      }
    },
  ]
}

extension FlowPlay {
  /// Returns the value of a name with dots, which may lead into nested objects.
  ///
  /// Keys may contain dots too; the longest key that matches is used.
  static func value(_ name: String, in object: JSONObject) -> JSON? {
    if let value = object[name] { return value }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    for count in stride(from: parts.count - 1, to: 0, by: -1) {
      let (key, rest) = (parts[..<count].joined(separator: "."), parts[count...].joined(separator: "."))
      if let inner = object[key]?.object { return value(rest, in: inner) }
    }
    return nil
  }
}

extension Tenant {
  fileprivate func property(_ name: String, of play: FlowPlay) -> JSON? {
    guard let user = play.user.flatMap({ users[$0] }) else { return nil }
    let members = PlatformUser.fields.json(of: user).adding(PlatformUser.accountFields.json(of: user))
    switch name {
    case "given", "family": return members["name"]?[name]
    case "devices":
      return activeDevices(of: user.id).enumerated().map { index, device in
        JSON.of([
          "type": device.kind, "id": device.id,
          "title": device.kind == .mobile ? "Mobile" : device.kind.rawValue, "default": index == 0,
          "iconSrc": "",
          "description": device.nickname ?? "Device \(index + 1)",
        ])
      }.json
    default: return members[name]
    }
  }
}
