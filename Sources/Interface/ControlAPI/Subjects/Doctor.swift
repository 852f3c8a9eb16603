package import JSONRPC

package struct ServiceDoctor: ControlMethod {
  package static let name = "service.doctor"
  package static let access = AccessClass.read
  package static let summary =
    "looks at all that an authenticator needs; what asks the network is done once a minute at most, for all callers"
  package static let errors: [RPCError] = []
  package static let worksMisconfigured = true
  package static let parameters = Shape(ServiceDoctor.init)
  package static var example: Example<Self> { Example(ServiceDoctor(), Samples.health) }

  package typealias Result = DoctorReport

  package init() {}
}

/// Whether all that an authenticator needs is as it has to be, check by check.
package struct DoctorReport: ControlObject {
  package enum Result: String, ControlChoice {
    case pass, warning, fail, skipped
  }

  /// What the daemon looks at, in the order in which it tells of it; of hosts, issuers and platforms there may be several.
  package enum Name: String, ControlChoice {
    case configuration, key, memory, clock, courier, host, issuer, platform, pushes, database, rollback
    case backup, version
  }

  /// One thing that was looked at.
  package struct Check: ControlObject {
    package let name: Open<Name>
    package let result: Open<Result>
    package let cause: String?
    package let message: String
    package let remedy: String?

    package static let shape = Shape(
      Check.init(name:result:cause:message:remedy:),
      .required("name", \.name, "what was looked at"),
      .required("result", \.result, "how it is; skipped: it could not be looked at, or there is none"),
      .optional("cause", \.cause, "why it is so, where that has a stable name"),
      .required("message", \.message, "what was found"),
      .optional("remedy", \.remedy, "what to do about it")
    )
  }

  package let checks: [Check]

  package init(_ checks: [Check]) { self.checks = checks }

  package static let shape = Shape(
    "DoctorReport",
    DoctorReport.init,
    .required("checks", \.checks, "what was looked at, one after the other")
  )
}

extension DoctorReport.Check {
  /// A check of the daemon's.
  package init(
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
  package init(
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
  package init(_ name: DoctorReport.Name, failing error: RPCError) {
    let leadsBack = error.hint == RPCError.keyUnavailable.hint
    let remedy = leadsBack ? RPCError.internalFailure.hint : error.hint
    self.init(name, .fail, error.message, cause: error.cause, remedy: remedy)
  }

  /// The same, with something else to do about it.
  package func remedied(_ remedy: String?) -> Self {
    Self(name: name, result: result, cause: cause, message: message, remedy: remedy)
  }
}
