package import Time

extension ServiceStatusReport {
  /// The platform that an owner talks to.
  package struct Platform: ControlObject {
    package enum Kind: String, ControlChoice {
      case pingOneDeviceService = "pingone-device-service"
    }

    package let kind: Open<Kind>
    package let url: String
    package let isPinned: Bool
    /// Whether the last request reached it; `nil` before the first.
    package let isReachable: Bool?
    package let lastContact: Timestamp?

    package static let shape = Shape(
      Platform.init(kind:url:isPinned:isReachable:lastContact:),
      .required("kind", \.kind, "what it speaks"),
      .required("url", \.url, as: .text(maximum: 8192), "where it is"),
      .required("pinned", \.isPinned, "its key is named by the configuration"),
      .required("reachable", \.isReachable, "the last request reached it; null before the first"),
      .optional("lastContact", \.lastContact, "when it was heard last")
    )
  }
}

extension ServiceStatusReport.Platform {
  package init(url: String, isPinned: Bool, isReachable: Bool?, lastContact: Timestamp?) {
    self.init(
      kind: .known(.pingOneDeviceService),
      url: url,
      isPinned: isPinned,
      isReachable: isReachable,
      lastContact: lastContact
    )
  }
}
