/// Whether pushes can reach this machine, and which platforms could not be told how.
package struct PushChannelReport: ControlObject {
  package let isPushEnabled: Bool
  package let errors: [GeographyError]
  package let address: String?
  package let subscription: PushSubscription?

  package init(
    isPushEnabled: Bool,
    errors: [GeographyError],
    address: String? = nil,
    subscription: PushSubscription? = nil
  ) {
    (self.isPushEnabled, self.errors) = (isPushEnabled, errors)
    (self.address, self.subscription) = (address, subscription)
  }

  package static let shape = Shape(
    "PushChannelReport",
    PushChannelReport.init(isPushEnabled:errors:address:subscription:),
    .required("pushEnabled", \.isPushEnabled, "pushes are allowed and there is a way for them"),
    .required("errors", \.errors, "the geographies whose platforms are told later"),
    .optional(
      "address",
      \.address,
      as: .text(maximum: 4096),
      "where at its relay this machine takes what is left for the owner; for those who send only"
    ),
    .optional(
      "subscription",
      \.subscription,
      "the same for pushes that are encrypted for the owner, and what they are encrypted with"
    )
  )
}
