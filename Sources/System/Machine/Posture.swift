/// What can be said of the machine that a program runs on, measured and never assumed.
///
/// Whatever could not be measured is `unknown`; what each value means is told in the article on the posture.
package struct Posture: Sendable, Equatable {
  /// Whether something is in force.
  package enum Setting: String, Sendable {
    case enabled, disabled, unknown
  }

  /// Whether something is so.
  package enum Finding: String, Sendable {
    case yes, no, unknown
  }

  /// What the kernel keeps even from root.
  package enum Lockdown: String, Sendable {
    case none, integrity, confidentiality, unknown
  }

  /// What is installed and which kernel runs.
  package let operatingSystem: OperatingSystem
  /// Whether the firmware let only signed programs start the system.
  package let secureBoot: Setting
  /// Whether the disk that holds the state is encrypted.
  package let diskEncryption: Setting
  /// What the kernel keeps even from root.
  package let kernelLockdown: Lockdown
  /// Whether only root and the user of this program can change the program.
  package let programProtected: Finding
  /// Whether only root and the user of this program can change its state.
  package let stateProtected: Finding

  /// Measures a machine, with the place of the state that the disk and the protection are measured for.
  package init(of host: Host, stateDirectory: String) {
    operatingSystem = OperatingSystem(of: host)
    secureBoot = Setting(secureBootOf: host)
    diskEncryption = Setting(encryptionOf: stateDirectory, on: host)
    kernelLockdown = Lockdown(of: host)
    programProtected = Finding(programProtectedOn: host)
    stateProtected = Finding(isProtected: stateDirectory, on: host)
  }
}
