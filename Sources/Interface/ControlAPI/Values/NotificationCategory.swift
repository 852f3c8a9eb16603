/// What a person can do with a push without opening anything.
package enum NotificationAction: String, ControlChoice {
  case approve, deny, open

  var title: String {
    switch self {
    case .approve: "Approve"
    case .deny: "Deny"
    case .open: "Open"
    }
  }
}

/// The buttons that belong to a push.
package struct NotificationCategory: ControlObject {
  package struct Button: ControlObject {
    package let id: Open<NotificationAction>
    package let title: String
    package let requiresAuthentication: Bool

    package static let shape = Shape(
      Button.init(id:title:requiresAuthentication:),
      .required("id", \.id, "what notification.act takes as action"),
      .required("title", \.title, as: .text(maximum: 64), "what stands on the button"),
      .required("requiresAuthentication", \.requiresAuthentication, "only whoever unlocked the machine may")
    )
  }

  package let id: String
  package let actions: [Button]

  /// Every category, by PingOne's name and by the native SDK's: a push may name it by either.
  package static let all: [NotificationCategory] = [
    NotificationCategory("BANNER_BUTTONS", [.approve, .deny]),
    NotificationCategory("WITHOUT_BANNER_BUTTONS", []),
    NotificationCategory("APPROVE_AND_OPEN_APP", [.approve, .deny, .open]),
    NotificationCategory("auth", [.approve, .deny]),
    NotificationCategory("none", []),
    NotificationCategory("auth_open", [.approve, .deny, .open]),
  ]

  package static let shape = Shape(
    NotificationCategory.init(id:actions:),
    .required("id", \.id, as: .identifier, "what a push names it by"),
    .required("actions", \.actions, "its buttons, in their order")
  )
}

extension NotificationCategory {
  private init(_ id: String, _ actions: [NotificationAction]) {
    self.init(
      id: id,
      actions: actions.map {
        // Denying and looking are never kept from anybody who is there.
        Button(id: .known($0), title: $0.title, requiresAuthentication: $0 == .approve)
      }
    )
  }
}
