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
