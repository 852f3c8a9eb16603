internal import ControlAPI
internal import Glibc
internal import JOSE
internal import JSON
internal import Machine
internal import OpenSSL
internal import WebAddress

/// What a journey is told of this machine: nothing that its users do not see themselves, and never where it is.
struct DeviceProfile: Sendable {
  /// What this server knows this machine by; `nil` of a machine that has no name to make it of.
  let identifier: String?
  private let metadata: JSON

  /// A profile of nothing.
  init() { (identifier, metadata) = (nil, [:]) }

  /// What was measured, as one server is told it: the same to it each time, and to no other server.
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

  /// The profile with as much as the server asks for.
  func json(withMetadata isComplete: Bool) -> JSON {
    var profile = JSONObject()
    profile["identifier"] = identifier.map { .string($0) }
    if isComplete { profile["metadata"] = metadata }
    return .object(profile)
  }
}

extension CallbackForm {
  /// The machine describes itself; what it tells is shown, and where it is it never tells.
  static func deviceProfile(_ callback: Callback) -> CallbackForm {
    let profile = callback.context.device.json(withMetadata: callback.output("metadata") == true)
    var field = callback.question(callback.text("message") ?? "What is told of this machine", form: .document)
    field.collector.value = profile
    field.standing = InputForm.document.wire(profile)
    return CallbackForm(fields: [field])
  }
}
