/// Whether pushes can reach this machine, and which platforms could not be told how.
package struct PushChannelReport: ControlObject {
  package let isPushEnabled: Bool
  package let errors: [GeographyError]
  package let address: String?

  package init(isPushEnabled: Bool, errors: [GeographyError], address: String? = nil) {
    (self.isPushEnabled, self.errors, self.address) = (isPushEnabled, errors, address)
  }

  package static let shape = Shape(
    "PushChannelReport",
    PushChannelReport.init(isPushEnabled:errors:address:),
    .required("pushEnabled", \.isPushEnabled, "pushes are allowed and there is a way for them"),
    .required("errors", \.errors, "the geographies whose platforms are told later"),
    .optional(
      "address",
      \.address,
      as: .text(maximum: 4096),
      "where at its relay this machine takes what is left for the owner; for those who send only"
    )
  )
}
