/// A passcode of RFC 6238 with the window in which it counts, all of it from one reading of the clock.
package struct TimedPasscode: ControlObject, Equatable {
  /// The times are Unix seconds, as the native SDK gives them.
  package struct Window: ControlObject, Equatable {
    package let passcode: String
    package let validFrom: Int
    package let validUntil: Int

    package init(passcode: String, validFrom: Int, validUntil: Int) {
      (self.passcode, self.validFrom, self.validUntil) = (passcode, validFrom, validUntil)
    }

    package static let shape = Shape(
      Window.init(passcode:validFrom:validUntil:),
      .required("passcode", \.passcode, as: .text(maximum: 8), "the passcode"),
      .required("validFrom", \.validFrom, as: .number, "when its window begins, in Unix seconds"),
      .required("validUntil", \.validUntil, as: .number, "when its window ends, in Unix seconds")
    )
  }

  package let account: String
  package let current: Window
  /// The length of a window in seconds.
  package let period: Int
  /// The seconds that are left of this window.
  package let remaining: Int
  package let next: Window?

  package static let shape = Shape(
    TimedPasscode.init(account:current:period:remaining:next:),
    .required("account", \.account, as: .identifier, "the account that it is of"),
    .inline(\.current),
    .required("timeWindowSize", \.period, "the length of a window in seconds"),
    .required("remaining", \.remaining, "the seconds that are left of this window"),
    .optional("next", \.next, "the passcode of the window after this one")
  )
}

extension Passcode {
  package typealias Window = TimedPasscode.Window

  package init(account: String, current: Window, period: Int, remaining: Int, next: Window?) {
    self = .timed(
      TimedPasscode(account: account, current: current, period: period, remaining: remaining, next: next)
    )
  }
}
