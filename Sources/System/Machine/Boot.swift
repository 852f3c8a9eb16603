// How the system was started: what the firmware checked, and what the kernel keeps to itself since.

extension Posture.Setting {
  private static let firmwareVariables = "/sys/firmware/efi/efivars/"
  private static let secureBoot = "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
  /// What takes the meaning from the first: keys that anybody may still set, and a loader that checks nothing.
  private static let exceptions = [
    "SetupMode-8be4df61-93ca-11d2-aa0d-00e098032b8c", "MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23",
  ]

  /// Whether Secure Boot was in force, by the variables of the firmware.
  init(secureBootOf host: Host) {
    switch Self.flag(Self.secureBoot, host) {
    case true?: self = Self.exceptions.contains { Self.flag($0, host) == true } ? .disabled : .enabled
    case false?: self = .disabled
    case nil: self = .unknown
    }
  }

  /// A variable of one byte, which comes after four bytes of attributes.
  private static func flag(_ name: String, _ host: Host) -> Bool? {
    guard let bytes = host.bytes(firmwareVariables + name, limit: 5), bytes.count == 5, bytes[4] <= 1 else {
      return nil
    }
    return bytes[4] == 1
  }
}

extension Posture.Lockdown {
  /// The level that the kernel puts in brackets.
  init(of host: Host) {
    let words = (host.text("/sys/kernel/security/lockdown", limit: 256) ?? "").split(separator: " ")
    let chosen = words.filter { $0.hasPrefix("[") && $0.hasSuffix("]") }.map { $0.dropFirst().dropLast() }
    self = chosen.count == 1 ? Self(rawValue: String(chosen[0])) ?? .unknown : .unknown
  }
}
