/// Whether pushes can reach this machine, and which platforms could not be told how.
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
    .required("pushEnabled", \.isPushEnabled, "pushes are allowed and there is a way for them"),
    .required("errors", \.errors, "the geographies whose platforms are told later"),
    .optional(
      "address",
      \.address,
      as: .text(maximum: 4096),
      "where at its relay this machine takes what is left for the owner; for those who send only"
    ),
    .optional(
      "subscription",
      \.subscription,
      "the same for pushes that are encrypted for the owner, and what they are encrypted with"
    )
  )
}

/// By which transport the platform hands pushes to this machine.
public enum PushProvider: String, ControlChoice {
  /// The daemon fetches them itself.
  case poll = "POLL"
  case fcm = "FCM"
  case apns = "APNS"
  case hms = "HMS"
  case webPush = "WEBPUSH"
  case unifiedPush = "UNIFIEDPUSH"
}

/// Which of Apple's push services a token is for.
public enum PushEnvironment: String, ControlChoice {
  case production, sandbox
}

/// Where encrypted pushes are left for an owner, and what for, as the W3C's Push API writes a `PushSubscription`.
public struct PushSubscription: ControlObject, Equatable {
  /// What a push is encrypted with (RFC 8291), both in base64url.
  public struct Keys: ControlObject, Equatable {
    public let publicKey: String
    public let authSecret: String

    public init(publicKey: String, authSecret: String) {
      (self.publicKey, self.authSecret) = (publicKey, authSecret)
    }

    public static let shape = Shape(
      Keys.init(publicKey:authSecret:),
      .required("p256dh", \.publicKey, as: .text(maximum: 128), "the receiver's key, base64url of the point"),
      .required("auth", \.authSecret, as: .text(maximum: 64), "what only senders know; secret")
    )
  }

  public let endpoint: String
  public let keys: Keys

  public init(endpoint: String, keys: Keys) { (self.endpoint, self.keys) = (endpoint, keys) }

  public static let shape = Shape(
    "PushSubscription",
    PushSubscription.init(endpoint:keys:),
    .required("endpoint", \.endpoint, as: .text(maximum: 4096), "where a push is posted to"),
    .required("keys", \.keys, "what it is encrypted with")
  )
}

/// How well pushes reach this machine, test by test.
public struct PushTestReport: ControlObject {
  /// How a test went; the later is the worse.
  public enum Result: String, ControlChoice, Comparable {
    case pass, warning, fail

    /// Whether the left is better than the right.
    public static func < (left: Result, right: Result) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .pass: 0
      case .warning: 1
      case .fail: 2
      }
    }
  }

  /// One thing that was looked at.
  public struct Test: ControlObject {
    public let name: Open<Name>
    public let description: String
    public let result: Open<Result>
    public let info: String?

    public static let shape = Shape(
      Test.init(name:description:result:info:),
      .required("name", \.name, "the native SDK's name of it"),
      .required("description", \.description, as: .text(maximum: 400), "what was looked at"),
      .required("result", \.result, "how it went"),
      .optional("info", \.info, as: .text(maximum: 400), "what was found")
    )
  }

  /// The tests of the native SDK, in the order in which they are made.
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
    .required("tests", \.tests, "the tests, in the order in which they were made")
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
  /// What is looked at on a Linux machine under this name.
  fileprivate var description: String {
    switch self {
    case .tokenType: "the platform knows by which provider pushes come"
    case .allowNotification: "pushes are allowed on this machine"
    case .token: "the provider has the token that it needs"
    case .notificationsSetting: "a program listens for pushes, to show them to you"
    case .backgroundSetting: "the daemon fetches pushes by itself"
    case .connectivity: "the platform answers"
    case .categories: "the buttons that a push can ask for are known here"
    case .testPush: "the platform sends a test push when it is asked to"
    case .setPushPayloadToSDK: "the test push arrives in time and is PingOne's"
    }
  }
}
