public import JSON
public import JSONRPC

public struct PasscodeGet: ControlMethod {
  public static let name = "passcode.get"
  public static let access = AccessClass.use
  public static let summary = "computes the passcode of now, and of the window after it"
  public static let errors: [RPCError] =
    .presence + [.notConfigured, .notPaired, .notFound, .ambiguous, .accountLocked, .keyUnavailable]
  public static let parameters = Shape(
    PasscodeGet.init(account:wantsNext:isConfirmed:presence:),
    .optional("account", \.account, as: .identifier, "the account; absent: the only one"),
    .optional("next", \.wantsNext, default: false, "the window after this one is wanted too"),
    .optional("confirm", \.isConfirmed, default: false, "to go on with a count that is that of a backup"),
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
  public static let summary = "makes an account of the secret in an otpauth URI"
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

/// A passcode: one that counts for a while, or one that counts once.
public enum Passcode: ControlValue {
  case timed(TimedPasscode)
  case counted(CountedPasscode)

  /// The passcode with its window, if it has one.
  public var timed: TimedPasscode? {
    if case .timed(let passcode) = self { passcode } else { nil }
  }

  /// What is typed where one signs on.
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

/// A passcode of RFC 4226, which counts once.
public struct CountedPasscode: ControlObject, Equatable {
  public let account: String
  public let passcode: String
  public let counter: Int

  public init(account: String, passcode: String, counter: Int) {
    (self.account, self.passcode, self.counter) = (account, passcode, counter)
  }

  public static let shape = Shape(
    CountedPasscode.init(account:passcode:counter:),
    .required("account", \.account, as: .identifier, "the account that it is of"),
    .required("passcode", \.passcode, as: .text(maximum: 8), "the passcode, good once"),
    .required("counter", \.counter, "which of the account's passcodes it is")
  )
}

/// A passcode of RFC 6238 with the window in which it counts, all of it from one reading of the clock.
public struct TimedPasscode: ControlObject, Equatable {
  /// The times are Unix seconds, as the native SDK gives them.
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
      .required("validFrom", \.validFrom, as: .number, "when its window begins, in Unix seconds"),
      .required("validUntil", \.validUntil, as: .number, "when its window ends, in Unix seconds")
    )
  }

  public let account: String
  public let current: Window
  /// The length of a window in seconds.
  public let period: Int
  /// The seconds that are left of this window.
  public let remaining: Int
  public let next: Window?

  public static let shape = Shape(
    TimedPasscode.init(account:current:period:remaining:next:),
    .required("account", \.account, as: .identifier, "the account that it is of"),
    .inline(\.current),
    .required("timeWindowSize", \.period, "the length of a window in seconds"),
    .required("remaining", \.remaining, "the seconds that are left of this window"),
    .optional("next", \.next, "the passcode of the window after this one")
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
