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

  /// What belongs to the device itself.
  package struct Device: ControlObject {
    package let id: String
    package var nickname: String?
    package let isPushEnabled: Bool
    package var lock: AccountLock?

    package static let shape = Shape(
      Device.init(id:nickname:isPushEnabled:lock:),
      .required("id", \.id, as: .identifier, "the device's id there"),
      .optional("nickname", \.nickname, "what it is called there"),
      .required("pushEnabled", \.isPushEnabled, "the platform can send it pushes"),
      .optional("lock", \.lock, "until when the platform takes nothing from it")
    )
  }

  package let user: User
  package let environment: Environment
  package var device: Device
  package var evaluation: Evaluation?

  package static let shape = Shape(
    "DeviceRecord",
    DeviceRecord.init(user:environment:device:evaluation:),
    .inline(\.user),
    .required("environment", \.environment, "the environment of the user"),
    .required("device", \.device, "this machine, as it is known for the user"),
    .optional(
      "deviceRequirementsEvaluation",
      \.evaluation,
      "whether the machine is as the organization wants it"
    )
  )
}

extension DeviceRecord {
  /// The pairing where what is personal is left out.
  package var impersonal: DeviceRecord {
    var device = device
    device.nickname = nil
    return DeviceRecord(
      user: user.impersonal,
      environment: environment,
      device: device,
      evaluation: evaluation
    )
  }

  package init(user: User, environment: String, device: String, isPushEnabled: Bool) {
    self.init(
      user: user,
      environment: Environment(id: environment),
      device: Device(id: device, isPushEnabled: isPushEnabled)
    )
  }
}
