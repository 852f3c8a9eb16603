import HTTPServer
import JSON

extension HTTPResponse {
  private static let reasons = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 500: "Internal Server Error",
  ]

  /// A refusal in AM's form; what is wrong besides goes where clients look for nothing.
  static func am(_ status: Int, _ message: String, _ hint: String? = nil, detail: JSON? = nil) -> HTTPResponse
  {
    .plain(
      status,
      .present([
        ("code", .int(status)), ("reason", .string(reasons[status] ?? "Error")),
        ("message", .string(message)),
        ("detail", detail), ("sandboxHint", hint.map { .string($0) }),
      ])
    )
  }

  /// The time for a journey is over.
  static let journeyTimedOut = am(401, "Session has timed out", detail: ["errorCode": "110"])

  /// There is no journey that waits for this.
  static let unknownSuspension = am(
    401,
    "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: "
      + "Token not found. It may have expired."
  )
}
