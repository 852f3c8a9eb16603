package import ControlAPI

extension NotificationObject {
  /// Whether a person can be asked about it; a type that is not known yet may be.
  package var canBeAnswered: Bool {
    state == .pending && kind != .cancelled && kind != .done && kind != .test
  }

  /// Whether nothing more can become of it.
  package var isSettled: Bool { state != .pending && state != .sending }

  package var wantsNumber: Bool { content.numberMatching != nil }

  /// What the category of a push says about its buttons.
  package enum Buttons: Equatable {
    case ordinary
    case none
    /// The application is opened when it is approved.
    case opensApplication
    /// A category that is not known, by its name.
    case unknown(String)
  }

  /// By the names of Android's categories and of iOS's.
  package var buttons: Buttons {
    switch content.category {
    case nil, "auth", "BANNER_BUTTONS": .ordinary
    case "WITHOUT_BANNER_BUTTONS", "none": .none
    case "APPROVE_AND_OPEN_APP", "auth_open": .opensApplication
    case let name?: .unknown(name)
    }
  }
}
