internal import ControlAPI
internal import JSON

/// FIDO2: a passkey or security key, which needs a browser; the flow is told so and takes its other way.
struct SecurityKeyField: FormField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    let registers = description.json["action"] == "REGISTER"
    let type = registers ? "FidoRegistrationCollector" : "FidoAuthenticationCollector"
    var collector = Collector(key: description.key, type: type, label: description.label)
    collector.raw = description.raw
    return collector
  }

  var actions: [FieldAction] {
    [
      FieldAction(description.key, "Go on without a security key", .flow) { flow, _ in
        try await flow.refuseKey()
      }
    ]
  }

  /// Whether a browser would not wait for a person to ask for it.
  var isAutomatic: Bool { description.json["trigger"] != "BUTTON" }
}
