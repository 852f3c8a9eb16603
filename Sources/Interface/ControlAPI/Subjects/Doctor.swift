public import JSONRPC

public struct ServiceDoctor: ControlMethod {
  public static let name = "service.doctor"
  public static let access = AccessClass.read
  public static let summary =
    "checks all that an authenticator needs; network checks run at most once a minute for all callers"
  public static let errors: [RPCError] = []
  public static let worksMisconfigured = true
  public static let parameters = Shape(ServiceDoctor.init)
  public static var example: Example<Self> { Example(ServiceDoctor(), Samples.health) }

  public typealias Result = DoctorReport

  public init() {}
}

/// The results of checks of the daemon, the machine and the servers.
public struct DoctorReport: ControlObject {
  public enum Result: String, ControlChoice {
    case pass, warning, fail, skipped
  }

  /// The daemon's checks, in the order of the report; `host`, `issuer` and `platform` may occur repeatedly.
  public enum Name: String, ControlChoice {
    case configuration, key, memory, clock, courier, host, issuer, platform, pushes, database, rollback
    case backup, version
  }

  /// The result of one check.
  public struct Check: ControlObject {
    public let name: Open<Name>
    public let result: Open<Result>
    public let cause: String?
    public let message: String
    public let remedy: String?

    public static let shape = Shape(
      Check.init(name:result:cause:message:remedy:),
      .required("name", \.name, "the name of the check"),
      .required("result", \.result, "the result; skipped: not possible or not applicable"),
      .optional("cause", \.cause, "the stable name of the cause"),
      .required("message", \.message, "the finding"),
      .optional("remedy", \.remedy, "the next step")
    )
  }

  public let checks: [Check]

  public init(_ checks: [Check]) { self.checks = checks }

  public static let shape = Shape(
    "DoctorReport",
    DoctorReport.init,
    .required("checks", \.checks, "the results, in the order of the checks")
  )
}

extension DoctorReport.Check {
  /// Creates the result of a daemon's check.
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

  /// Creates the result of a client's own check.
  public init(
    local name: String,
    _ result: DoctorReport.Result,
    _ message: String,
    cause: String? = nil,
    remedy: String? = nil
  ) {
    self.init(name: Open(name: name), result: .known(result), cause: cause, message: message, remedy: remedy)
  }

  /// Creates the result of a check that failed with an error.
  ///
  /// A hint to run `authctl doctor` is replaced, because that command shows this result.
  public init(_ name: DoctorReport.Name, failing error: RPCError) {
    let leadsBack = error.hint == RPCError.keyUnavailable.hint
    let remedy = leadsBack ? RPCError.internalFailure.hint : error.hint
    self.init(name, .fail, error.message, cause: error.cause, remedy: remedy)
  }

  /// Returns the result with another remedy.
  public func remedied(_ remedy: String?) -> Self {
    Self(name: name, result: result, cause: cause, message: message, remedy: remedy)
  }
}
