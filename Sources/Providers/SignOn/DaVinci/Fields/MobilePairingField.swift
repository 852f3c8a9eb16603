internal import ControlAPI
internal import JSON
internal import JSONRPC

/// MOBILE_PAIRING: this machine is to be paired with the user who signs on.
struct MobilePairingField: FormField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    // The pairing key is a secret, so that there is nothing to show of the field.
    Collector(
      key: description.key,
      type: "MobilePairingCollector",
      label: description.label ?? "Pair this machine"
    )
  }

  var actions: [FieldAction] {
    let key = description.key
    let pairingKey = description.json["pairingKey"]?.string ?? ""
    return [
      FieldAction(key, "Pair this machine", .flow) { flow, _ in try await flow.pair(pairingKey, field: key) },
      FieldAction(key + ".cancel", "Not now", .flow) { flow, _ in try await flow.declinePairing(field: key) },
    ]
  }

  /// What is sent when this machine is paired.
  static let claimed: JSON = ["status": "CLAIMED"]

  /// What is sent when the person does not want it to be.
  static let declined = reply("USER_CANCELLED", "the person does not want to pair this machine")

  /// What is sent when it could not be: the native SDK's errors go by their numbers, a flow knows no others.
  static func reply(to error: any Error) -> JSON {
    let known = RPCError(naming: error)
    guard known.isOfNativeSDK, known != .internalFailure else {
      return reply("INTERNAL_ERROR", known.message)
    }
    return reply(String(known.code), known.message)
  }

  private static func reply(_ code: String, _ message: String) -> JSON {
    ["error": ["code": .string(code), "message": .string(message)]]
  }
}
