/// Whether pushes can reach this machine, and which platforms could not be told how.
package struct PushChannelReport: ControlObject {
  package let isPushEnabled: Bool
  package let errors: [GeographyError]

  package init(isPushEnabled: Bool, errors: [GeographyError]) {
    (self.isPushEnabled, self.errors) = (isPushEnabled, errors)
  }

  package static let shape = Shape(
    "PushChannelReport",
    PushChannelReport.init(isPushEnabled:errors:),
    .required("pushEnabled", \.isPushEnabled, "pushes are allowed and there is a way for them"),
    .required("errors", \.errors, "the geographies whose platforms are told later")
  )
}
