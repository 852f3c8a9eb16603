internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import WebAddress

// Fields that offer ways to go on.

extension FieldForm {
  /// SUBMIT_BUTTON: hands in what was filled in.
  static func submit(_ field: DaVinciField) -> FieldForm {
    var form = FieldForm(field, nil)
    form.actions = [
      FieldAction(field.key, field.name, .submit) { flow, input in
        try await flow.submit(input, button: field.key)
      }
    ]
    return form
  }

  /// FLOW_BUTTON, FLOW_LINK and what custom pages call BUTTON and LINK: goes another way.
  static func flow(_ field: DaVinciField) -> FieldForm {
    var form = FieldForm(field, nil)
    form.actions = [
      FieldAction(field.key, field.name, field.type.hasSuffix("LINK") ? .link : .flow) { flow, input in
        try await flow.leave(input, button: field.key)
      }
    ]
    return form
  }

  /// SOCIAL_LOGIN_BUTTON: signs on with another provider, in a browser.
  static func identityProvider(_ field: DaVinciField) -> FieldForm {
    let address = field.providerAddress
    var collector = Collector(key: field.key, type: "IdpCollector", label: field.label)
    (collector.value, collector.raw) = (address.map { .string($0) }, field.raw)
    var form = FieldForm(field, collector)
    form.provider = address
    if let address {
      form.actions = [
        FieldAction(field.key, field.name, .flow) { flow, input in try flow.show(address, input) }
      ]
    }
    return form
  }

  /// FIDO2: a passkey or security key, which needs a browser; the flow is told so and takes its other way.
  static func securityKey(_ field: DaVinciField) -> FieldForm {
    let registers = field.json["action"] == "REGISTER"
    let type = registers ? "FidoRegistrationCollector" : "FidoAuthenticationCollector"
    var collector = Collector(key: field.key, type: type, label: field.label)
    collector.raw = field.raw
    var form = FieldForm(field, collector)
    form.isAutomaticKey = field.json["trigger"] != "BUTTON"
    form.actions = [
      FieldAction(field.key, "Go on without a security key", .flow) { flow, _ in try await flow.refuseKey() }
    ]
    return form
  }

  /// MOBILE_PAIRING: this machine is to be paired with the user who signs on.
  static func mobilePairing(_ field: DaVinciField) -> FieldForm {
    let key = field.key
    let pairingKey = field.json["pairingKey"]?.string ?? ""
    // The pairing key is a secret, so that there is nothing to show of the field.
    let label = field.label ?? "Pair this machine"
    var form = FieldForm(field, Collector(key: key, type: "MobilePairingCollector", label: label))
    form.isPairing = true
    form.actions = [
      FieldAction(key, "Pair this machine", .flow) { flow, _ in try await flow.pair(pairingKey, field: key) },
      FieldAction(key + ".cancel", "Not now", .flow) { flow, _ in try await flow.declinePairing(field: key) },
    ]
    return form
  }

  /// POLLING: the page waits for something that happens elsewhere.
  static func polling(_ field: DaVinciField) -> FieldForm {
    let label = field.label ?? "Waiting for the answer"
    var form = FieldForm(field, Collector(key: field.key, type: "PollingCollector", label: label))
    form.polling = DaVinciPolling(field)
    return form
  }
}

extension DaVinciField {
  /// The URL at which the browser begins; `nil` if it cannot be sent there, or the provider is switched off.
  fileprivate var providerAddress: String? {
    guard json["idpEnabled"] != false,
      let text = (json["links"]?["authenticate"]?["href"] ?? json["url"])?.string, let url = WebURL(text),
      url.origin.scheme == .https || (url.origin.isLoopback && allowsLoopbackHTTP)
    else { return nil }
    return url.text
  }
}

/// The reply to a field that offers a pairing.
enum PairingReply {
  /// The reply after this machine was paired.
  static let claimed: JSON = ["status": "CLAIMED"]

  /// The reply of a person who does not want to pair this machine.
  static let declined = failure("USER_CANCELLED", "the person does not want to pair this machine")

  /// Returns the reply after a failure: the native SDK's errors go by their numbers, a flow knows no others.
  static func reply(to error: any Error) -> JSON {
    let known = RPCError(naming: error)
    guard known.isOfNativeSDK, known != .internalFailure else {
      return failure("INTERNAL_ERROR", known.message)
    }
    return failure(String(known.code), known.message)
  }

  private static func failure(_ code: String, _ message: String) -> JSON {
    ["error": ["code": .string(code), "message": .string(message)]]
  }
}
