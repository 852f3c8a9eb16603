internal import ControlAPI
internal import Glibc
internal import JOSE
internal import JSON
internal import Machine
internal import OpenSSL
internal import WebAddress

/// Data about this machine for a journey.
///
/// It contains only data that every user of the machine can read, and no location.
struct DeviceProfile: Sendable {
  /// Identifies this machine to one server; `nil` if the machine has no ID from which to derive it.
  let identifier: String?
  private let metadata: JSON

  /// Creates an empty profile.
  init() { (identifier, metadata) = (nil, [:]) }

  /// Creates the profile for one server; its identifier depends on the origin, the owner and the machine ID.
  init(
    posture: JSON,
    names: MachineNames = MachineNames(),
    for origin: Origin,
    of owner: uid_t,
    machineID: String?
  ) throws {
    identifier = try machineID.map { machine in
      let text = "mfad device profile\n\(origin.text)\n\(owner)\n\(machine)"
      return Base64URL.encode(try digest(Array(text.utf8), .sha256))
    }
    let system = posture["os"] ?? [:]
    metadata = [
      "platform": [
        "platform": "Linux", "version": system["kernel"] ?? "unknown", "brand": system["id"] ?? "unknown",
        "model": system["version"] ?? "unknown", "device": .string(names.hardware),
        "deviceName": .string(names.host),
      ],
      "hardware": ["cpu": .int(names.processors)],
    ]
  }

  /// Returns the profile, with metadata if the server requests it.
  func json(withMetadata isComplete: Bool) -> JSON {
    var profile = JSONObject()
    profile["identifier"] = identifier.map { .string($0) }
    if isComplete { profile["metadata"] = metadata }
    return .object(profile)
  }
}

extension CallbackForm {
  /// Shows the device profile to the user, and sends it unless the user supplies another document.
  static func deviceProfile(_ callback: Callback) -> CallbackForm {
    let profile = callback.context.device.json(withMetadata: callback.output("metadata") == true)
    var field = callback.question(callback.text("message") ?? "Data about this machine", form: .document)
    field.collector.value = profile
    field.standing = InputForm.document.wire(profile)
    return CallbackForm(fields: [field])
  }
}
