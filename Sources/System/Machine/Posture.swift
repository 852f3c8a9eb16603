/// What can be said of the machine that a program runs on, measured and never assumed.
///
/// Whatever could not be measured is `unknown`; what each value means is told in the article on the posture.
public struct Posture: Sendable, Equatable {
  /// Whether something is in force.
  public enum Setting: String, Sendable {
    case enabled, disabled, unknown
  }

  /// Whether something is so.
  public enum Finding: String, Sendable {
    case yes, no, unknown
  }

  /// What the kernel keeps even from root.
  public enum Lockdown: String, Sendable {
    case none, integrity, confidentiality, unknown
  }

  /// What is installed and which kernel runs.
  public let operatingSystem: OperatingSystem
  /// Whether the firmware let only signed programs start the system.
  public let secureBoot: Setting
  /// Whether the disk that holds the state is encrypted.
  public let diskEncryption: Setting
  /// What the kernel keeps even from root.
  public let kernelLockdown: Lockdown
  /// Whether only root and the user of this program can change the program.
  public let programProtected: Finding
  /// Whether only root and the user of this program can change its state.
  public let stateProtected: Finding

  /// Measures a machine, with the place of the state that the disk and the protection are measured for.
  public init(of host: Host, stateDirectory: String) {
    operatingSystem = OperatingSystem(of: host)
    secureBoot = Setting(secureBootOf: host)
    diskEncryption = Setting(encryptionOf: stateDirectory, on: host)
    kernelLockdown = Lockdown(of: host)
    programProtected = Finding(programProtectedOn: host)
    stateProtected = Finding(isProtected: stateDirectory, on: host)
  }
}
