internal import JSON

/// Security properties of the machine.
///
/// A property that could not be measured is `unknown`.
public struct MachinePosture: ControlObject {
  public struct System: ControlObject {
    public let id: String
    public let version: String
    public let kernel: String

    public static let shape = Shape(
      System.init(id:version:kernel:),
      .required("id", \.id, as: .text(maximum: 64), "the distribution"),
      .required("version", \.version, as: .text(maximum: 64), "its version"),
      .required("kernel", \.kernel, as: .text(maximum: 64), "the release of the running kernel")
    )
  }

  public let system: System
  public let secureBoot: String
  public let diskEncryption: String
  public let kernelLockdown: String
  public let isProgramProtected: String
  public let isStateProtected: String

  public static let shape = Shape(
    "Posture",
    MachinePosture.init,
    .required("os", \.system, "the installed system"),
    .required("secureBoot", \.secureBoot, as: setting, "the firmware starts only signed programs"),
    .required("diskEncryption", \.diskEncryption, as: setting, "the disk that holds the state is encrypted"),
    .required(
      "kernelLockdown",
      \.kernelLockdown,
      as: .choice(["none", "integrity", "confidentiality", "unknown"]),
      "the kernel's lockdown mode"
    ),
    .required(
      "programProtected",
      \.isProgramProtected,
      as: finding,
      "only root and the service's user can change the program"
    ),
    .required(
      "stateProtected",
      \.isStateProtected,
      as: finding,
      "only root and the service's user can change the state"
    )
  )

  private static let setting = Schema.choice(["enabled", "disabled", "unknown"])
  private static let finding = Schema.choice(["yes", "no", "unknown"])
}
