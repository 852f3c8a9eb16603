public import JSON
public import JSONRPC

public struct PasscodeGet: ControlMethod {
  public static let name = "passcode.get"
  public static let access = AccessClass.use
  public static let summary = "computes the current passcode, on request also the next one"
  public static let audit: AuditRule<Self>? = AuditRule(counting: \.account)
  public static let errors: [RPCError] =
    .presence + [.notConfigured, .notPaired, .notFound, .ambiguous, .accountLocked, .keyUnavailable]
  public static let parameters = Shape(
    PasscodeGet.init(account:wantsNext:isConfirmed:presence:),
    .optional("account", \.account, as: .identifier, "the account; default: the only one"),
    .optional("next", \.wantsNext, default: false, "true for the passcode of the next window too"),
    .optional("confirm", \.isConfirmed, default: false, "true to use a counter from a backup"),
    PresenceClaim.parameter(\.presence)
  )
  public static var example: Example<Self> { Example(PasscodeGet(), Samples.passcode) }

  public typealias Result = Passcode

  public let account: String?
  public let wantsNext: Bool
  public let isConfirmed: Bool
  public let presence: PresenceClaim?

  public var worksWhileLocked: Bool { presence != nil }

  public init(
    account: String? = nil,
    wantsNext: Bool = false,
    isConfirmed: Bool = false,
    presence: PresenceClaim? = nil
  ) {
    (self.account, self.wantsNext) = (account, wantsNext)
    (self.isConfirmed, self.presence) = (isConfirmed, presence)
  }
}

public struct PasscodeImport: ControlMethod {
  public static let name = "passcode.import"
  public static let access = AccessClass.admin
  public static let summary = "creates an account from an otpauth URI"
  public static let errors: [RPCError] = [.conflict, .quota, .keyUnavailable]
  public static let audit: AuditRule<Self>? = AuditRule(made: \.id)
  public static let parameters = Shape(
    PasscodeImport.init(uri:),
    .required("uri", \.uri, as: .text(maximum: 8192), "an otpauth://totp or otpauth://hotp URI")
  )
  public static var example: Example<Self> {
    Example(PasscodeImport(uri: Samples.keyURI), Samples.oathAccount)
  }

  public typealias Result = Account

  public let uri: String

  public init(uri: String) { self.uri = uri }
}

/// A passcode: time-based (RFC 6238) or counter-based (RFC 4226).
public enum Passcode: ControlValue {
  case timed(TimedPasscode)
  case counted(CountedPasscode)

  /// The time-based passcode with its window; `nil` for a counter-based one.
  public var timed: TimedPasscode? {
    if case .timed(let passcode) = self { passcode } else { nil }
  }

  public var account: String {
    switch self {
    case .timed(let passcode): passcode.account
    case .counted(let passcode): passcode.account
    }
  }

  /// The passcode that the user types.
  public var code: String {
    switch self {
    case .timed(let passcode): passcode.current.passcode
    case .counted(let passcode): passcode.passcode
    }
  }

  public static let schema = Schema.named(
    NamedSchema(name: "Passcode", schema: .either(TimedPasscode.schema, CountedPasscode.schema))
  )

  public func write(to writer: inout JSONWriter) {
    switch self {
    case .timed(let passcode): passcode.write(to: &writer)
    case .counted(let passcode): passcode.write(to: &writer)
    }
  }

  public init(reading json: JSON) throws(UnreadableValue) {
    self =
      json["counter"] == nil
      ? .timed(try TimedPasscode(reading: json)) : .counted(try CountedPasscode(reading: json))
  }
}

/// A passcode of RFC 4226, valid once.
public struct CountedPasscode: ControlObject, Equatable {
  public let account: String
  public let passcode: String
  public let counter: Int

  public init(account: String, passcode: String, counter: Int) {
    (self.account, self.passcode, self.counter) = (account, passcode, counter)
  }

  public static let shape = Shape(
    CountedPasscode.init(account:passcode:counter:),
    .required("account", \.account, as: .identifier, "the account"),
    .required("passcode", \.passcode, as: .text(maximum: 8), "the passcode, valid once"),
    .required("counter", \.counter, "the counter of the passcode")
  )
}

/// A passcode of RFC 6238 with its time window.
///
/// All members come from the same reading of the clock.
public struct TimedPasscode: ControlObject, Equatable {
  /// The times are Unix seconds, as in the native SDK.
  public struct Window: ControlObject, Equatable {
    public let passcode: String
    public let validFrom: Int
    public let validUntil: Int

    public init(passcode: String, validFrom: Int, validUntil: Int) {
      (self.passcode, self.validFrom, self.validUntil) = (passcode, validFrom, validUntil)
    }

    public static let shape = Shape(
      Window.init(passcode:validFrom:validUntil:),
      .required("passcode", \.passcode, as: .text(maximum: 8), "the passcode"),
      .required("validFrom", \.validFrom, as: .number, "the start of its window, in Unix seconds"),
      .required("validUntil", \.validUntil, as: .number, "the end of its window, in Unix seconds")
    )
  }

  public let account: String
  public let current: Window
  /// Length of a window in seconds.
  public let period: Int
  /// Seconds until the end of the window.
  public let remaining: Int
  public let next: Window?

  public static let shape = Shape(
    TimedPasscode.init(account:current:period:remaining:next:),
    .required("account", \.account, as: .identifier, "the account"),
    .inline(\.current),
    .required("timeWindowSize", \.period, "the length of a window in seconds"),
    .required("remaining", \.remaining, "the seconds until the end of the window"),
    .optional("next", \.next, "the passcode of the next window")
  )
}

extension Passcode {
  public typealias Window = TimedPasscode.Window

  public init(account: String, current: Window, period: Int, remaining: Int, next: Window?) {
    self = .timed(
      TimedPasscode(account: account, current: current, period: period, remaining: remaining, next: next)
    )
  }
}
