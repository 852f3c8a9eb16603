public import JSONRPC

public struct ServiceDoctor: ControlMethod {
  public static let name = "service.doctor"
  public static let access = AccessClass.read
  public static let summary =
    "looks at all that an authenticator needs; what asks the network is done once a minute at most, for all callers"
  public static let errors: [RPCError] = []
  public static let worksMisconfigured = true
  public static let parameters = Shape(ServiceDoctor.init)
  public static var example: Example<Self> { Example(ServiceDoctor(), Samples.health) }

  public typealias Result = DoctorReport

  public init() {}
}

/// Whether all that an authenticator needs is as it has to be, check by check.
public struct DoctorReport: ControlObject {
  public enum Result: String, ControlChoice {
    case pass, warning, fail, skipped
  }

  /// What the daemon looks at, in the order in which it tells of it; of hosts, issuers and platforms there may be several.
  public enum Name: String, ControlChoice {
    case configuration, key, memory, clock, courier, host, issuer, platform, pushes, database, rollback
    case backup, version
  }

  /// One thing that was looked at.
  public struct Check: ControlObject {
    public let name: Open<Name>
    public let result: Open<Result>
    public let cause: String?
    public let message: String
    public let remedy: String?

    public static let shape = Shape(
      Check.init(name:result:cause:message:remedy:),
      .required("name", \.name, "what was looked at"),
      .required("result", \.result, "how it is; skipped: it could not be looked at, or there is none"),
      .optional("cause", \.cause, "why it is so, where that has a stable name"),
      .required("message", \.message, "what was found"),
      .optional("remedy", \.remedy, "what to do about it")
    )
  }

  public let checks: [Check]

  public init(_ checks: [Check]) { self.checks = checks }

  public static let shape = Shape(
    "DoctorReport",
    DoctorReport.init,
    .required("checks", \.checks, "what was looked at, one after the other")
  )
}

extension DoctorReport.Check {
  /// A check of the daemon's.
  public init(
    _ name: DoctorReport.Name,
    _ result: DoctorReport.Result,
    _ message: String,
    cause: String? = nil,
    remedy: String? = nil
  ) {
    self.init(
      name: .known(name),
      result: .known(result),
      cause: cause,
      message: message,
      remedy: remedy
    )
  }

  /// A check of which only a program at this side of the socket knows.
  public init(
    local name: String,
    _ result: DoctorReport.Result,
    _ message: String,
    cause: String? = nil,
    remedy: String? = nil
  ) {
    self.init(name: Open(name: name), result: .known(result), cause: cause, message: message, remedy: remedy)
  }

  /// A check that came to an error, with what is known of it.
  ///
  /// Where a person would be sent to these very checks, only the journal knows more.
  public init(_ name: DoctorReport.Name, failing error: RPCError) {
    let leadsBack = error.hint == RPCError.keyUnavailable.hint
    let remedy = leadsBack ? RPCError.internalFailure.hint : error.hint
    self.init(name, .fail, error.message, cause: error.cause, remedy: remedy)
  }

  /// The same, with something else to do about it.
  public func remedied(_ remedy: String?) -> Self {
    Self(name: name, result: result, cause: cause, message: message, remedy: remedy)
  }
}
