package import JSON

/// A passcode with the window in which it counts.
package struct Passcode: ControlValue {
  /// One window of a passcode.
  package struct Window: Sendable, Equatable {
    package let passcode: String
    /// When it begins, in Unix seconds.
    package let validFrom: Int
    /// When it ends, in Unix seconds.
    package let validUntil: Int

    /// A passcode and its window.
    package init(passcode: String, validFrom: Int, validUntil: Int) {
      (self.passcode, self.validFrom, self.validUntil) = (passcode, validFrom, validUntil)
    }

    var members: JSONObject {
      ["passcode": .string(passcode), "validFrom": .int(validFrom), "validUntil": .int(validUntil)]
    }
  }

  package let account: String
  /// The window of now.
  package let current: Window
  /// The length of a window in seconds.
  package let period: Int
  /// The seconds that are left of this window.
  package let remaining: Int
  /// The window after this one, if it was asked for.
  package let next: Window?

  /// A passcode, all of it from one reading of the clock.
  package init(account: String, current: Window, period: Int, remaining: Int, next: Window?) {
    (self.account, self.current, self.period) = (account, current, period)
    (self.remaining, self.next) = (remaining, next)
  }

  private static let window: [Property] = [
    .required("passcode", .text(maximum: 8)), .required("validFrom", .number),
    .required("validUntil", .number),
  ]

  package static let schema = Schema.named(
    NamedSchema(
      name: "Passcode",
      schema: .object(
        [.required("account", .identifier)] + window + [
          .required("timeWindowSize", .count), .required("remaining", .count),
          .optional("next", .object(window)),
        ]
      )
    )
  )

  package var json: JSON {
    var object: JSONObject = ["account": .string(account)]
    for member in current.members.members { object[member.name] = member.value }
    object["timeWindowSize"] = .int(period)
    object["remaining"] = .int(remaining)
    object["next"] = next.map { .object($0.members) }
    return .object(object)
  }
}
