package import Configuration
package import JSONRPC

/// Why something was not done in one geography, while it may have been done in others.
package struct GeographyError: ControlObject {
  package let geography: Open<Geography>
  package let code: Int
  package let reason: String
  package let message: String

  /// What a call that concerned this geography alone would have failed with.
  package init(_ geography: Geography, _ error: RPCError) {
    self.init(
      geography: .known(geography),
      code: error.code,
      reason: error.reason,
      message: error.message
    )
  }

  private init(geography: Open<Geography>, code: Int, reason: String, message: String) {
    (self.geography, self.code, self.reason, self.message) = (geography, code, reason, message)
  }

  package static let shape = Shape(
    "GeographyError",
    GeographyError.init(geography:code:reason:message:),
    .required("geo", \.geography, "where it was not done"),
    .required("code", \.code, as: .integer(Int.min...Int.max), "the code of the error"),
    .required("reason", \.reason, as: .text(maximum: 128), "its stable name"),
    .required("message", \.message, "its sentence for a person")
  )
}
