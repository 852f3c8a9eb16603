internal import ControlAPI
internal import JSON

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
}
