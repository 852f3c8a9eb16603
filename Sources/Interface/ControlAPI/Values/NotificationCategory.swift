package import JSON

/// What a person can do with a push without opening anything.
package enum NotificationAction: String, CaseIterable, Sendable {
  case approve, deny, open
}

/// The buttons that belong to a push.
package struct NotificationCategory: ControlValue {
  /// What a push names it by.
  package let id: String
  /// Its buttons, in their order.
  package let actions: [NotificationAction]

  /// Every category, by PingOne's name and by the native SDK's: a push may name it by either.
  package static let all: [NotificationCategory] = [
    NotificationCategory(id: "BANNER_BUTTONS", actions: [.approve, .deny]),
    NotificationCategory(id: "WITHOUT_BANNER_BUTTONS", actions: []),
    NotificationCategory(id: "APPROVE_AND_OPEN_APP", actions: [.approve, .deny, .open]),
    NotificationCategory(id: "auth", actions: [.approve, .deny]),
    NotificationCategory(id: "none", actions: []),
    NotificationCategory(id: "auth_open", actions: [.approve, .deny, .open]),
  ]

  package static let schema = Schema.object([
    .required("id", .identifier),
    .required(
      "actions",
      .array(
        .object([
          .required("id", .choice(NotificationAction.allCases.map(\.rawValue))),
          .required("title", .text(maximum: 64)), .required("requiresAuthentication", .boolean),
        ])
      )
    ),
  ])

  package var json: JSON { ["id": .string(id), "actions": .array(actions.map(\.json))] }
}

extension NotificationAction {
  fileprivate var json: JSON {
    [
      "id": .string(rawValue), "title": .string(title),
      "requiresAuthentication": .bool(requiresAuthentication),
    ]
  }

  private var title: String {
    switch self {
    case .approve: "Approve"
    case .deny: "Deny"
    case .open: "Open"
    }
  }

  /// Denying and looking are never kept from anybody who is there.
  private var requiresAuthentication: Bool { self == .approve }
}
