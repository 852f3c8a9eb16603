package import JSON

/// Whether pushes can reach this machine, and which platforms could not be told how.
package struct PushChannelReport: ControlValue {
  /// Whether pushes are allowed and there is a way for them.
  package let isPushEnabled: Bool
  /// The geographies whose platforms are told later.
  package let errors: [GeographyError]

  package init(isPushEnabled: Bool, errors: [GeographyError]) {
    (self.isPushEnabled, self.errors) = (isPushEnabled, errors)
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "PushChannelReport",
      schema: .object([
        .required("pushEnabled", .boolean), .required("errors", .array(GeographyError.schema)),
      ])
    )
  )

  package var json: JSON {
    ["pushEnabled": .bool(isPushEnabled), "errors": .array(errors.map(\.json))]
  }
}
