public import Configuration
public import JSONRPC
public import Time

public struct DeviceInfo: ControlMethod {
  public static let name = "device.info"
  public static let access = AccessClass.read
  public static let summary = "returns this machine's registration in each geography"
  public static let errors: [RPCError] = [.notConfigured, .notPaired, .keyUnavailable]
  public static let parameters = Shape(DeviceInfo.init)
  public static var example: Example<Self> { Example(DeviceInfo(), Samples.report) }

  public typealias Result = DeviceReport

  public init() {}
}

public struct DeviceConfigure: ControlMethod {
  public static let name = "device.configure"
  public static let access = AccessClass.admin
  public static let summary = "establishes trust with the platform of a geography"
  public static let errors: [RPCError] = .platform + [.cannotUpdateGeography]
  public static let audit: AuditRule<Self>? = AuditRule(made: \.deviceID)
  public static let parameters = Shape(
    DeviceConfigure.init(geography:),
    .required("geo", \.geography, "the geography")
  )
  public static var example: Example<Self> {
    Example(
      DeviceConfigure(geography: .europe),
      Result(geography: .europe, deviceID: "d-1")
    )
  }

  public struct Result: ControlObject {
    public let geography: Open<Geography>
    public let deviceID: String

    public init(geography: Geography, deviceID: String) {
      self.init(geography: .known(geography), deviceID: deviceID)
    }

    private init(geography: Open<Geography>, deviceID: String) {
      (self.geography, self.deviceID) = (geography, deviceID)
    }

    public static let shape = Shape(
      Result.init(geography:deviceID:),
      .required("geo", \.geography, "the geography"),
      .required("deviceId", \.deviceID, as: .identifier, "the platform's id of this device")
    )
  }

  public let geography: Geography

  public init(geography: Geography) { self.geography = geography }
}

public struct DeviceRotateKeys: ControlMethod {
  public static let name = "device.rotateKeys"
  public static let access = AccessClass.admin
  public static let summary = "replaces this device's keys at the platforms"
  public static let errors: [RPCError] = .platform
  public static let parameters = Shape(DeviceRotateKeys.init)
  public static let envelope: Shape<Timestamp>? = .member("rotatedAt", "the activation time of the new keys")
  public static var example: Example<Self> { Example(DeviceRotateKeys(), Samples.instant) }

  public init() {}
}

public struct DeviceSendLogs: ControlMethod {
  public static let name = "device.sendLogs"
  public static let access = AccessClass.use
  public static let summary = "sends the platform the daemon's recent log, without secrets or personal data"
  public static let errors: [RPCError] = .platform
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(DeviceSendLogs.init)
  public static let envelope: Shape<String>? = .member(
    "supportId",
    as: .identifier,
    "the id for the support of the organization"
  )
  public static var example: Example<Self> { Example(DeviceSendLogs(), "S-4711") }

  public init() {}
}

public struct DeviceSetKeepOnReinstall: ControlMethod {
  public static let name = "device.setKeepOnReinstall"
  public static let access = AccessClass.admin
  public static let summary = "sets whether purging the package keeps this owner's state"
  public static let errors: [RPCError] = []
  public static let parameters = Shape(
    DeviceSetKeepOnReinstall.init(keep:),
    .required("keep", \.keep, "true to keep it")
  )
  public static let envelope: Shape<Bool>? = .member("keep", "the new setting")
  public static var example: Example<Self> { Example(DeviceSetKeepOnReinstall(keep: true), true) }

  public let keep: Bool

  public init(keep: Bool) { self.keep = keep }
}

public struct DeviceRemoveLocalData: ControlMethod {
  public static let name = "device.removeLocalData"
  public static let access = AccessClass.admin
  public static let summary = "erases all of the caller's data here; the platforms are not notified"
  public static let errors: [RPCError] = []
  public static let parameters = Shape(
    { _ in DeviceRemoveLocalData() },
    .confirmation("confirm", "the confirmation of the erasure")
  )
  public static let envelope: Shape<Removed>? = .member("removed", "the erased data")
  public static var example: Example<Self> {
    Example(DeviceRemoveLocalData(), Removed(accounts: 1, notifications: 3))
  }

  public struct Removed: ControlObject {
    public let accounts: Int
    public let notifications: Int

    public init(accounts: Int, notifications: Int) {
      (self.accounts, self.notifications) = (accounts, notifications)
    }

    public static let shape = Shape(
      Removed.init(accounts:notifications:),
      .required("accounts", \.accounts, "the number of active accounts"),
      .required("notifications", \.notifications, "the number of stored pushes")
    )
  }

  public var worksWhileLocked: Bool { true }

  public init() {}
}

public struct DeviceSetPushAllowed: ControlMethod {
  public static let name = "device.setPushAllowed"
  public static let access = AccessClass.use
  public static let summary = "allows or forbids pushes to this machine"
  public static let errors: [RPCError] = .platform
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(
    DeviceSetPushAllowed.init(isAllowed:),
    .required("allowed", \.isAllowed, "true to allow them")
  )
  public static var example: Example<Self> {
    Example(
      DeviceSetPushAllowed(isAllowed: true),
      PushChannelReport(isPushEnabled: true, errors: [])
    )
  }

  public typealias Result = PushChannelReport

  public let isAllowed: Bool

  public init(isAllowed: Bool) { self.isAllowed = isAllowed }
}

public struct DeviceSetPushToken: ControlMethod {
  public static let name = "device.setPushToken"
  public static let access = AccessClass.use
  public static let summary = "sets the push provider and its token"
  public static let errors: [RPCError] = .platform + [.deviceTokenMissing]
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(
    DeviceSetPushToken.init(provider:token:environment:),
    .required("provider", \.provider, "the provider; POLL: the daemon polls the platform"),
    .optional(
      "token",
      \.token,
      as: .text(maximum: 4096),
      "the provider's address, a secret; UNIFIEDPUSH, WEBPUSH by default: this machine's own at its relay"
    ),
    .optional("environment", \.environment, "the Apple push service, only for APNS")
  )
  public static var example: Example<Self> {
    Example(
      DeviceSetPushToken(provider: .poll),
      PushChannelReport(isPushEnabled: true, errors: [])
    )
  }

  public typealias Result = PushChannelReport

  public let provider: PushProvider
  public let token: String?
  public let environment: PushEnvironment?

  public init(provider: PushProvider, token: String? = nil, environment: PushEnvironment? = nil) {
    (self.provider, self.token, self.environment) = (provider, token, environment)
  }
}

public struct DeviceTestPush: ControlMethod {
  public static let name = "device.testPush"
  public static let access = AccessClass.use
  public static let summary = "checks everything that a push needs, and requests a test push"
  public static let errors: [RPCError] = .platform + [.pushTestRunning]
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(
    DeviceTestPush.init(geography:),
    .optional("geo", \.geography, "the geography; default: the first with a pairing")
  )
  public static var example: Example<Self> {
    Example(
      DeviceTestPush(),
      PushTestReport(PushTestReport.Name.allCases.map { PushTestReport.Test($0, .pass) })
    )
  }

  public typealias Result = PushTestReport

  public let geography: Geography?

  public init(geography: Geography? = nil) { self.geography = geography }
}
