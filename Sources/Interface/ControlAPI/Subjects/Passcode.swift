package import JSON
package import JSONRPC

package struct PasscodeGet: ControlMethod {
  package static let name = "passcode.get"
  package static let access = AccessClass.use
  package static let summary = "computes the passcode of now, and of the window after it"
  package static let errors: [RPCError] =
    .presence + [.notConfigured, .notPaired, .notFound, .ambiguous, .accountLocked, .keyUnavailable]
  package static let parameters = Shape(
    PasscodeGet.init(account:wantsNext:isConfirmed:presence:),
    .optional("account", \.account, as: .identifier, "the account; absent: the only one"),
    .optional("next", \.wantsNext, default: false, "the window after this one is wanted too"),
    .optional("confirm", \.isConfirmed, default: false, "to go on with a count that is that of a backup"),
    PresenceClaim.parameter(\.presence)
  )
  package static var example: Example<Self> { Example(PasscodeGet(), Samples.passcode) }

  package typealias Result = Passcode

  package let account: String?
  package let wantsNext: Bool
  package let isConfirmed: Bool
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(
    account: String? = nil,
    wantsNext: Bool = false,
    isConfirmed: Bool = false,
    presence: PresenceClaim? = nil
  ) {
    (self.account, self.wantsNext) = (account, wantsNext)
    (self.isConfirmed, self.presence) = (isConfirmed, presence)
  }
}

package struct PasscodeImport: ControlMethod {
  package static let name = "passcode.import"
  package static let access = AccessClass.admin
  package static let summary = "makes an account of the secret in an otpauth URI"
  package static let errors: [RPCError] = [.conflict, .quota, .keyUnavailable]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.id)
  package static let parameters = Shape(
    PasscodeImport.init(uri:),
    .required("uri", \.uri, as: .text(maximum: 8192), "an otpauth://totp or otpauth://hotp URI")
  )
  package static var example: Example<Self> {
    Example(PasscodeImport(uri: Samples.keyURI), Samples.oathAccount)
  }

  package typealias Result = Account

  package let uri: String

  package init(uri: String) { self.uri = uri }
}

/// A passcode: one that counts for a while, or one that counts once.
package enum Passcode: ControlValue {
  case timed(TimedPasscode)
  case counted(CountedPasscode)

  /// The passcode with its window, if it has one.
  package var timed: TimedPasscode? {
    if case .timed(let passcode) = self { passcode } else { nil }
  }

  /// What is typed where one signs on.
  package var code: String {
    switch self {
    case .timed(let passcode): passcode.current.passcode
    case .counted(let passcode): passcode.passcode
    }
  }

  package static let schema = Schema.named(
    NamedSchema(name: "Passcode", schema: .either(TimedPasscode.schema, CountedPasscode.schema))
  )

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .timed(let passcode): passcode.write(to: &writer)
    case .counted(let passcode): passcode.write(to: &writer)
    }
  }

  package init(reading json: JSON) throws(UnreadableValue) {
    self =
      json["counter"] == nil
      ? .timed(try TimedPasscode(reading: json)) : .counted(try CountedPasscode(reading: json))
  }
}

/// A passcode of RFC 4226, which counts once.
package struct CountedPasscode: ControlObject, Equatable {
  package let account: String
  package let passcode: String
  package let counter: Int

  package init(account: String, passcode: String, counter: Int) {
    (self.account, self.passcode, self.counter) = (account, passcode, counter)
  }

  package static let shape = Shape(
    CountedPasscode.init(account:passcode:counter:),
    .required("account", \.account, as: .identifier, "the account that it is of"),
    .required("passcode", \.passcode, as: .text(maximum: 8), "the passcode, good once"),
    .required("counter", \.counter, "which of the account's passcodes it is")
  )
}

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
