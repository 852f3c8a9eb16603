/// Whether pushes can reach this machine, and the platforms that could not be notified of the push settings.
public struct PushChannelReport: ControlObject {
  public let isPushEnabled: Bool
  public let errors: [GeographyError]
  public let address: String?
  public let subscription: PushSubscription?

  public init(
    isPushEnabled: Bool,
    errors: [GeographyError],
    address: String? = nil,
    subscription: PushSubscription? = nil
  ) {
    (self.isPushEnabled, self.errors) = (isPushEnabled, errors)
    (self.address, self.subscription) = (address, subscription)
  }

  public static let shape = Shape(
    "PushChannelReport",
    PushChannelReport.init(isPushEnabled:errors:address:subscription:),
    .required("pushEnabled", \.isPushEnabled, "true if pushes are allowed and have a transport"),
    .required("errors", \.errors, "the geographies with a platform to be notified later"),
    .optional(
      "address",
      \.address,
      as: .text(maximum: 4096),
      "the relay URL at which this machine receives the owner's pushes; only for senders"
    ),
    .optional(
      "subscription",
      \.subscription,
      "the relay URL for encrypted pushes, with the encryption keys"
    )
  )
}

/// The transport that delivers the platform's pushes to this machine.
public enum PushProvider: String, ControlChoice {
  /// The daemon polls the platform.
  case poll = "POLL"
  case fcm = "FCM"
  case apns = "APNS"
  case hms = "HMS"
  case webPush = "WEBPUSH"
  case unifiedPush = "UNIFIEDPUSH"
}

/// The Apple push service of a token.
public enum PushEnvironment: String, ControlChoice {
  case production, sandbox
}

/// The URL and the keys for an owner's encrypted pushes: a `PushSubscription` of the W3C Push API.
public struct PushSubscription: ControlObject, Equatable {
  /// The keys that encrypt a push (RFC 8291), in base64url.
  public struct Keys: ControlObject, Equatable {
    public let publicKey: String
    public let authSecret: String

    public init(publicKey: String, authSecret: String) {
      (self.publicKey, self.authSecret) = (publicKey, authSecret)
    }

    public static let shape = Shape(
      Keys.init(publicKey:authSecret:),
      .required("p256dh", \.publicKey, as: .text(maximum: 128), "the receiver's key: the point in base64url"),
      .required("auth", \.authSecret, as: .text(maximum: 64), "the secret shared with senders")
    )
  }

  public let endpoint: String
  public let keys: Keys

  public init(endpoint: String, keys: Keys) { (self.endpoint, self.keys) = (endpoint, keys) }

  public static let shape = Shape(
    "PushSubscription",
    PushSubscription.init(endpoint:keys:),
    .required("endpoint", \.endpoint, as: .text(maximum: 4096), "the URL that takes pushes"),
    .required("keys", \.keys, "the encryption keys")
  )
}

/// The results of the tests of the push channel.
public struct PushTestReport: ControlObject {
  /// The result of a test, from best to worst.
  public enum Result: String, ControlChoice, Comparable {
    case pass, warning, fail

    /// True if the left result is better than the right one.
    public static func < (left: Result, right: Result) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .pass: 0
      case .warning: 1
      case .fail: 2
      }
    }
  }

  /// The result of one test.
  public struct Test: ControlObject {
    public let name: Open<Name>
    public let description: String
    public let result: Open<Result>
    public let info: String?

    public static let shape = Shape(
      Test.init(name:description:result:info:),
      .required("name", \.name, "the native SDK's name of the test"),
      .required("description", \.description, as: .text(maximum: 400), "the tested condition"),
      .required("result", \.result, "the result"),
      .optional("info", \.info, as: .text(maximum: 400), "the finding")
    )
  }

  /// The tests of the native SDK, in the order in which they run.
  public enum Name: String, ControlChoice {
    case tokenType, allowNotification, token, notificationsSetting, backgroundSetting, connectivity
    case categories, testPush, setPushPayloadToSDK
  }

  /// The worst of the results.
  public let result: Open<Result>
  public let tests: [Test]

  public static let shape = Shape(
    "PushTestReport",
    PushTestReport.init(result:tests:),
    .required("result", \.result, "the worst of the results"),
    .required("tests", \.tests, "the tests, in the order in which they ran")
  )
}

extension PushTestReport {
  public init(_ tests: [Test]) {
    let results = tests.compactMap(\.result.choice)
    self.init(result: .known(results.max() ?? .fail), tests: tests)
  }
}

extension PushTestReport.Test {
  public init(_ name: PushTestReport.Name, _ result: PushTestReport.Result, _ info: String? = nil) {
    self.init(name: .known(name), description: name.description, result: .known(result), info: info)
  }
}

extension PushTestReport.Name {
  /// The condition that this test checks on a Linux machine.
  fileprivate var description: String {
    switch self {
    case .tokenType: "the platform knows the push provider"
    case .allowNotification: "pushes are allowed on this machine"
    case .token: "the provider has the token that it needs"
    case .notificationsSetting: "a program listens for pushes, to show them to you"
    case .backgroundSetting: "the daemon polls for pushes"
    case .connectivity: "the platform answers"
    case .categories: "the button categories of pushes are known here"
    case .testPush: "the platform sends a test push on request"
    case .setPushPayloadToSDK: "the test push arrives in time and is from PingOne"
    }
  }
}
