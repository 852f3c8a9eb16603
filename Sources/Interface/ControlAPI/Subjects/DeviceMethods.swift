package import Configuration
package import JSONRPC
package import Time

package struct DeviceInfo: ControlMethod {
  package static let name = "device.info"
  package static let access = AccessClass.read
  package static let summary = "asks the platform of each geography what this machine is there"
  package static let errors: [RPCError] = [.notConfigured, .notPaired, .keyUnavailable]
  package static let parameters = Shape(DeviceInfo.init)
  package static var example: Example<Self> { Example(DeviceInfo(), Samples.report) }

  package typealias Result = DeviceReport

  package init() {}
}

package struct DeviceConfigure: ControlMethod {
  package static let name = "device.configure"
  package static let access = AccessClass.admin
  package static let summary = "establishes trust with the platform of a geography"
  package static let errors: [RPCError] = .platform + [.cannotUpdateGeography]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.deviceID)
  package static let parameters = Shape(
    DeviceConfigure.init(geography:),
    .required("geo", \.geography, "the geography")
  )
  package static var example: Example<Self> {
    Example(
      DeviceConfigure(geography: .europe),
      Result(geography: .europe, deviceID: "d-1")
    )
  }

  package struct Result: ControlObject {
    package let geography: Open<Geography>
    package let deviceID: String

    package init(geography: Geography, deviceID: String) {
      self.init(geography: .known(geography), deviceID: deviceID)
    }

    private init(geography: Open<Geography>, deviceID: String) {
      (self.geography, self.deviceID) = (geography, deviceID)
    }

    package static let shape = Shape(
      Result.init(geography:deviceID:),
      .required("geo", \.geography, "the geography"),
      .required("deviceId", \.deviceID, as: .identifier, "the id that its platform knows this device by")
    )
  }

  package let geography: Geography

  package init(geography: Geography) { self.geography = geography }
}

package struct DeviceRotateKeys: ControlMethod {
  package static let name = "device.rotateKeys"
  package static let access = AccessClass.admin
  package static let summary = "replaces the keys that the platforms know this device by"
  package static let errors: [RPCError] = .platform
  package static let parameters = Shape(DeviceRotateKeys.init)
  package static let envelope: Shape<Timestamp>? = .member("rotatedAt", "when the new keys came into force")
  package static var example: Example<Self> { Example(DeviceRotateKeys(), Samples.instant) }

  package init() {}
}

package struct DeviceSendLogs: ControlMethod {
  package static let name = "device.sendLogs"
  package static let access = AccessClass.use
  package static let summary = "sends the platform what the daemon noted lately, nothing secret or personal"
  package static let errors: [RPCError] = .platform
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(DeviceSendLogs.init)
  package static let envelope: Shape<String>? = .member(
    "supportId",
    as: .identifier,
    "what to tell the support of the organization"
  )
  package static var example: Example<Self> { Example(DeviceSendLogs(), "S-4711") }

  package init() {}
}

package struct DeviceSetKeepOnReinstall: ControlMethod {
  package static let name = "device.setKeepOnReinstall"
  package static let access = AccessClass.admin
  package static let summary = "says whether purging the package keeps this owner's state"
  package static let errors: [RPCError] = []
  package static let parameters = Shape(
    DeviceSetKeepOnReinstall.init(keep:),
    .required("keep", \.keep, "whether it is kept")
  )
  package static let envelope: Shape<Bool>? = .member("keep", "whether it is kept from now on")
  package static var example: Example<Self> { Example(DeviceSetKeepOnReinstall(keep: true), true) }

  package let keep: Bool

  package init(keep: Bool) { self.keep = keep }
}

package struct DeviceRemoveLocalData: ControlMethod {
  package static let name = "device.removeLocalData"
  package static let access = AccessClass.admin
  package static let summary = "erases everything that the caller has here; the platforms hear nothing of it"
  package static let errors: [RPCError] = []
  package static let parameters = Shape(
    { _ in DeviceRemoveLocalData() },
    .confirmation("confirm", "that this is meant")
  )
  package static let envelope: Shape<Removed>? = .member("removed", "what was erased")
  package static var example: Example<Self> {
    Example(DeviceRemoveLocalData(), Removed(accounts: 1, notifications: 3))
  }

  package struct Removed: ControlObject {
    package let accounts: Int
    package let notifications: Int

    package init(accounts: Int, notifications: Int) {
      (self.accounts, self.notifications) = (accounts, notifications)
    }

    package static let shape = Shape(
      Removed.init(accounts:notifications:),
      .required("accounts", \.accounts, "how many accounts were in force"),
      .required("notifications", \.notifications, "how many pushes were kept")
    )
  }

  package var worksWhileLocked: Bool { true }

  package init() {}
}

package struct DeviceSetPushAllowed: ControlMethod {
  package static let name = "device.setPushAllowed"
  package static let access = AccessClass.use
  package static let summary = "says whether pushes may come to this machine"
  package static let errors: [RPCError] = .platform
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(
    DeviceSetPushAllowed.init(isAllowed:),
    .required("allowed", \.isAllowed, "whether they may")
  )
  package static var example: Example<Self> {
    Example(
      DeviceSetPushAllowed(isAllowed: true),
      PushChannelReport(isPushEnabled: true, errors: [])
    )
  }

  package typealias Result = PushChannelReport

  package let isAllowed: Bool

  package init(isAllowed: Bool) { self.isAllowed = isAllowed }
}

package struct DeviceSetPushToken: ControlMethod {
  package static let name = "device.setPushToken"
  package static let access = AccessClass.use
  package static let summary = "says by which provider pushes come, and with which token"
  package static let errors: [RPCError] = .platform + [.deviceTokenMissing]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(
    DeviceSetPushToken.init(provider:token:environment:),
    .required("provider", \.provider, "who brings them; POLL: the daemon fetches them itself"),
    .optional(
      "token",
      \.token,
      as: .text(maximum: 4096),
      "the provider's address; secret; UNIFIEDPUSH, WEBPUSH without it: one of this machine's own at its relay"
    ),
    .optional("environment", \.environment, "which of Apple's services it is for; only for APNS")
  )
  package static var example: Example<Self> {
    Example(
      DeviceSetPushToken(provider: .poll),
      PushChannelReport(isPushEnabled: true, errors: [])
    )
  }

  package typealias Result = PushChannelReport

  package let provider: PushProvider
  package let token: String?
  package let environment: PushEnvironment?

  package init(provider: PushProvider, token: String? = nil, environment: PushEnvironment? = nil) {
    (self.provider, self.token, self.environment) = (provider, token, environment)
  }
}

package struct DeviceTestPush: ControlMethod {
  package static let name = "device.testPush"
  package static let access = AccessClass.use
  package static let summary = "looks at everything that a push needs to arrive, and lets one come"
  package static let errors: [RPCError] = .platform + [.pushTestRunning]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(
    DeviceTestPush.init(geography:),
    .optional("geo", \.geography, "the geography; absent: the first in which somebody is paired")
  )
  package static var example: Example<Self> {
    Example(
      DeviceTestPush(),
      PushTestReport(PushTestReport.Name.allCases.map { PushTestReport.Test($0, .pass) })
    )
  }

  package typealias Result = PushTestReport

  package let geography: Geography?

  package init(geography: Geography? = nil) { self.geography = geography }
}
