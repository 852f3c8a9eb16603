// Boot security: Secure Boot of the firmware and lockdown of the kernel.

extension Posture.Setting {
  private static let firmwareVariables = "/sys/firmware/efi/efivars/"
  private static let secureBoot = "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
  /// Variables that invalidate Secure Boot: setup mode, in which anyone may set keys, and a state in which
  /// the boot loader shim does not verify programs.
  private static let exceptions = [
    "SetupMode-8be4df61-93ca-11d2-aa0d-00e098032b8c", "MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23",
  ]

  /// Reads the state of Secure Boot from the firmware variables.
  init(secureBootOf host: Host) {
    switch Self.flag(Self.secureBoot, host) {
    case true?: self = Self.exceptions.contains { Self.flag($0, host) == true } ? .disabled : .enabled
    case false?: self = .disabled
    case nil: self = .unknown
    }
  }

  /// Reads a variable of one byte: the file contains four bytes of attributes, then the value.
  private static func flag(_ name: String, _ host: Host) -> Bool? {
    guard let bytes = host.bytes(firmwareVariables + name, limit: 5), bytes.count == 5, bytes[4] <= 1 else {
      return nil
    }
    return bytes[4] == 1
  }
}

extension Posture.Lockdown {
  /// Reads the active level, which the kernel writes in brackets.
  init(of host: Host) {
    let words = (host.text("/sys/kernel/security/lockdown", limit: 256) ?? "").split(separator: " ")
    let chosen = words.filter { $0.hasPrefix("[") && $0.hasSuffix("]") }.map { $0.dropFirst().dropLast() }
    self = chosen.count == 1 ? Self(rawValue: String(chosen[0])) ?? .unknown : .unknown
  }
}
