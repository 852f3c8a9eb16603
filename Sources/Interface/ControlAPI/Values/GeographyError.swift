package import Configuration
package import JSON
package import JSONRPC

/// Why something was not done in one geography, while it may have been done in others.
package struct GeographyError: ControlValue {
  package let geography: Geography
  /// What a call that concerned this geography alone would have answered.
  package let error: RPCError

  /// An error of a geography.
  package init(_ geography: Geography, _ error: RPCError) {
    (self.geography, self.error) = (geography, error)
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "GeographyError",
      schema: .object([
        .required("geo", .choice(Geography.allCases.map(\.rawValue))),
        .required("code", .integer(.min ... .max)), .required("reason", .text(maximum: 128)),
        .required("message", .text(maximum: 800)),
      ])
    )
  )

  /// The error with its geography.
  package var json: JSON {
    [
      "geo": .string(geography.rawValue), "code": .int(error.code), "reason": .string(error.reason),
      "message": .string(error.message),
    ]
  }
}
