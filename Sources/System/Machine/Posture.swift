/// The security state of the machine, as measured.
///
/// A value that cannot be measured is `unknown`. The article on the posture explains each value.
public struct Posture: Sendable, Equatable {
  /// The state of a protection.
  public enum Setting: String, Sendable {
    case enabled, disabled, unknown
  }

  /// The answer to a yes-or-no question.
  public enum Finding: String, Sendable {
    case yes, no, unknown
  }

  /// The level of kernel lockdown, which restricts even root.
  public enum Lockdown: String, Sendable {
    case none, integrity, confidentiality, unknown
  }

  /// The installed distribution and the running kernel.
  public let operatingSystem: OperatingSystem
  /// Secure Boot, with which the firmware starts only signed programs.
  public let secureBoot: Setting
  /// Encryption of the disk that holds the state.
  public let diskEncryption: Setting
  /// The level of kernel lockdown.
  public let kernelLockdown: Lockdown
  /// `yes` if only root and this program's user can change the program.
  public let programProtected: Finding
  /// `yes` if only root and this program's user can change its state.
  public let stateProtected: Finding

  /// Measures a machine; disk encryption and write protection are measured for `stateDirectory`.
  public init(of host: Host, stateDirectory: String) {
    operatingSystem = OperatingSystem(of: host)
    secureBoot = Setting(secureBootOf: host)
    diskEncryption = Setting(encryptionOf: stateDirectory, on: host)
    kernelLockdown = Lockdown(of: host)
    programProtected = Finding(programProtectedOn: host)
    stateProtected = Finding(isProtected: stateDirectory, on: host)
  }
}
