package import JSON

/// A pairing of this machine as the platform knows it.
package struct DeviceRecord: Sendable {
  package let user: User
  /// The id of their environment.
  package let environment: String
  /// The id of the device there.
  package let device: String
  /// What it is called there.
  package var nickname: String?
  /// Whether the platform can send it pushes.
  package let isPushEnabled: Bool
  /// Until when the platform answers nothing for it; absent when it is open.
  package var lock: AccountLock?
  /// How the platform judges the machine, when the organization asks for that.
  package var evaluation: Evaluation?

  /// Whether the machine is as the organization wants it.
  package struct Evaluation: Sendable, Equatable {
    package let status: String
    package let reason: String?
    /// What tells one state of the requirements from another.
    package let dataHash: String?

    package init(status: String, reason: String?, dataHash: String?) {
      (self.status, self.reason, self.dataHash) = (status, reason, dataHash)
    }
  }

  package init(user: User, environment: String, device: String, isPushEnabled: Bool) {
    (self.user, self.environment, self.device) = (user, environment, device)
    self.isPushEnabled = isPushEnabled
  }
}

extension DeviceRecord: ControlValue {
  package static let schema = Schema.named(
    NamedSchema(
      name: "DeviceRecord",
      schema: .object(
        User.properties + [
          .required("environment", .object([.required("id", .identifier)])),
          .required(
            "device",
            .object([
              .required("id", .identifier), .optional("nickname", .text(maximum: 800)),
              .required("pushEnabled", .boolean),
              .optional("lock", AccountLock.schema),
            ])
          ),
          .optional(
            "deviceRequirementsEvaluation",
            .object([
              .required("status", .choice(["Passed", "Failed"])), .optional("reason", .text(maximum: 1600)),
              .optional("deviceRequirementsDataHash", .text(maximum: 800)),
            ])
          ),
        ]
      )
    )
  )

  /// The user with what belongs to the pairing.
  package var json: JSON {
    var device: JSONObject = ["id": .string(self.device)]
    device["nickname"] = nickname.map { .string($0) }
    device["pushEnabled"] = .bool(isPushEnabled)
    device["lock"] = lock?.json
    var object = user.json.object ?? [:]
    object["environment"] = ["id": .string(environment)]
    object["device"] = .object(device)
    object["deviceRequirementsEvaluation"] = evaluation?.json
    return .object(object)
  }
}

extension DeviceRecord.Evaluation {
  fileprivate var json: JSON {
    var object: JSONObject = ["status": .string(status)]
    object["reason"] = reason.map { .string($0) }
    object["deviceRequirementsDataHash"] = dataHash.map { .string($0) }
    return .object(object)
  }
}
