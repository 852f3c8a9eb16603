package import JSON

/// How well pushes reach this machine, test by test.
package struct PushTestReport: ControlValue {
  /// How a test went; the later is the worse.
  package enum Result: String, CaseIterable, Sendable, Comparable {
    case pass, warning, fail

    /// Whether the left is better than the right.
    package static func < (left: Result, right: Result) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .pass: 0
      case .warning: 1
      case .fail: 2
      }
    }
  }

  /// One thing that was looked at.
  package struct Test: Sendable {
    /// Its name, as the native SDK has it.
    package let name: Name
    package let result: Result
    package let info: String?

    /// A test with its outcome.
    package init(_ name: Name, _ result: Result, _ info: String? = nil) {
      (self.name, self.result, self.info) = (name, result, info)
    }
  }

  /// The tests of the native SDK, in the order in which they are made.
  package enum Name: String, CaseIterable, Sendable {
    case tokenType, allowNotification, token, notificationsSetting, backgroundSetting, connectivity
    case categories, testPush, setPushPayloadToSDK
  }

  package let tests: [Test]

  /// The report of some tests.
  package init(_ tests: [Test]) { self.tests = tests }

  /// The worst of the results.
  package var result: Result { tests.map(\.result).max() ?? .fail }

  package static let schema = Schema.object([
    .required("result", outcome),
    .required(
      "tests",
      .array(
        .object([
          .required("name", .choice(Name.allCases.map(\.rawValue))),
          .required("description", .text(maximum: 400)), .required("result", outcome),
          .optional("info", .text(maximum: 400)),
        ])
      )
    ),
  ])

  private static let outcome = Schema.choice(Result.allCases.map(\.rawValue))

  package var json: JSON {
    ["result": .string(result.rawValue), "tests": .array(tests.map(\.json))]
  }
}

extension PushTestReport.Test {
  fileprivate var json: JSON {
    var object: JSONObject = [
      "name": .string(name.rawValue), "description": .string(name.description),
      "result": .string(result.rawValue),
    ]
    object["info"] = info.map { .string($0) }
    return .object(object)
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
