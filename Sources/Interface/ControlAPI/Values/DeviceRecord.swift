/// A pairing of this machine as the platform knows it.
package struct DeviceRecord: ControlObject {
  /// Whether the machine is as the organization wants it.
  package struct Evaluation: ControlObject, Equatable {
    package let status: String
    package let reason: String?
    package let dataHash: String?

    package init(status: String, reason: String?, dataHash: String?) {
      (self.status, self.reason, self.dataHash) = (status, reason, dataHash)
    }

    package static let shape = Shape(
      Evaluation.init(status:reason:dataHash:),
      .required("status", \.status, as: .choice(["Passed", "Failed"]), "whether the machine meets them"),
      .optional("reason", \.reason, as: .text(maximum: 1600), "why it does not"),
      .optional("deviceRequirementsDataHash", \.dataHash, "what tells one state of them from another")
    )
  }

  package let user: User
  /// The id of the user's environment.
  package let environment: String
  /// The id of the device there.
  package let device: String
  package var nickname: String?
  package let isPushEnabled: Bool
  package var lock: AccountLock?
  package var evaluation: Evaluation?

  package init(user: User, environment: String, device: String, isPushEnabled: Bool) {
    (self.user, self.environment, self.device) = (user, environment, device)
    self.isPushEnabled = isPushEnabled
  }

  package static let shape = Shape(
    "DeviceRecord",
    DeviceRecord.init(_:_:_:_:),
    .inline(\.user),
    .required("environment", \.wireEnvironment, "the environment of the user"),
    .required("device", \.wireDevice, "this machine, as it is known for the user"),
    .optional(
      "deviceRequirementsEvaluation",
      \.evaluation,
      "whether the machine is as the organization wants it"
    )
  )
}

extension DeviceRecord {
  /// What belongs to the device itself.
  fileprivate struct Device: ControlObject {
    let id: String
    let nickname: String?
    let isPushEnabled: Bool
    let lock: AccountLock?

    static let shape = Shape(
      Device.init(id:nickname:isPushEnabled:lock:),
      .required("id", \.id, as: .identifier, "the device's id there"),
      .optional("nickname", \.nickname, "what it is called there"),
      .required("pushEnabled", \.isPushEnabled, "the platform can send it pushes"),
      .optional("lock", \.lock, "until when the platform takes nothing from it")
    )
  }

  private var wireEnvironment: Environment { Environment(id: environment) }

  private var wireDevice: Device {
    Device(id: device, nickname: nickname, isPushEnabled: isPushEnabled, lock: lock)
  }

  private init(_ user: User, _ environment: Environment, _ device: Device, _ evaluation: Evaluation?) {
    self.init(
      user: user,
      environment: environment.id,
      device: device.id,
      isPushEnabled: device.isPushEnabled
    )
    (nickname, lock, self.evaluation) = (device.nickname, device.lock, evaluation)
  }
}
