internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import WebAddress

// Fields with actions.

extension FieldForm {
  /// SUBMIT_BUTTON: submits the form.
  static func submit(_ field: DaVinciField) -> FieldForm {
    var form = FieldForm(field, nil)
    form.actions = [
      FieldAction(field.key, field.name, .submit) { flow, input in
        try await flow.submit(input, button: field.key)
      }
    ]
    return form
  }

  /// ACTION, FLOW_BUTTON, FLOW_LINK and, on custom pages, BUTTON and LINK: leaves the form.
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

  /// FIDO2: a passkey or security key, which requires a browser.
  ///
  /// Its only action reports an error to the flow, which can then offer an alternative.
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

  /// MOBILE_PAIRING: offers to pair this machine with the user.
  static func mobilePairing(_ field: DaVinciField) -> FieldForm {
    let key = field.key
    let pairingKey = field.json["pairingKey"]?.string ?? ""
    // The pairing key is a secret, so the raw field is not shown.
    let label = field.label ?? "Pair this machine"
    var form = FieldForm(field, Collector(key: key, type: "MobilePairingCollector", label: label))
    form.isPairing = true
    form.actions = [
      FieldAction(key, "Pair this machine", .flow) { flow, _ in try await flow.pair(pairingKey, field: key) },
      FieldAction(key + ".cancel", "Not now", .flow) { flow, _ in try await flow.declinePairing(field: key) },
    ]
    return form
  }

  /// POLLING: the page waits for an event on another device.
  static func polling(_ field: DaVinciField) -> FieldForm {
    let label = field.label ?? "Waiting for the answer"
    var form = FieldForm(field, Collector(key: field.key, type: "PollingCollector", label: label))
    form.polling = DaVinciPolling(field)
    return form
  }
}

extension DaVinciField {
  private static let longestAddress = 8192

  /// The URL that the browser opens; `nil` if it is too long or not secure, or the provider is disabled.
  fileprivate var providerAddress: String? {
    guard json["idpEnabled"] != false,
      let text = (json["links"]?["authenticate"]?["href"] ?? json["url"])?.string,
      text.utf8.count <= Self.longestAddress, let url = WebURL(text),
      url.origin.scheme == .https || (url.origin.isLoopback && allowsLoopbackHTTP)
    else { return nil }
    return url.text
  }
}

/// The reply to a field that offers a pairing.
enum PairingReply {
  /// The reply after this machine was paired.
  static let claimed: JSON = ["status": "CLAIMED"]

  /// The reply if the user does not want to pair this machine.
  static let declined = failure("USER_CANCELLED", "the person does not want to pair this machine")

  /// Returns the reply after a failed pairing, with the native SDK's numeric error code if there is one.
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
