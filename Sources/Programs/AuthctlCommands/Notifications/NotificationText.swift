internal import JSON

/// The words of the control API about a push, as a person reads them.
enum NotificationText {
  /// Where a push stands, what kind it is, and what it wants or how it was answered.
  static func state(_ notification: Notification) -> SafeText {
    let json = notification.json
    let type = json["type"]
    let kind: SafeText = type == nil || type == "authentication" ? "" : " (\(Describe.value(type)))"
    let state: SafeText =
      switch (notification.state, json["answer"]?["decision"]?.string) {
      case ("sending", "approve"?): "approval on its way"
      case ("sending", "deny"?): "denial on its way"
      case (let state, _): "\(state)"
      }
    return (["\(state)\(kind)"] + more(notification)).joined(separator: ", ")
  }

  private static func more(_ notification: Notification) -> [SafeText] {
    let json = notification.json
    guard notification.state == "pending" else {
      return reason(json["answer"]?["reason"]).map { [$0] } ?? []
    }
    let number: [SafeText] = notification.wantsNumber ? ["wants a number"] : []
    return number + (exceptionalCategories[json["category"]?.string ?? ""].map { [$0] } ?? [])
  }

  /// What is unlike an ordinary push, which is answered by its buttons.
  private static let exceptionalCategories: [String: SafeText] = [
    "WITHOUT_BANNER_BUTTONS": "without buttons", "none": "without buttons",
    "APPROVE_AND_OPEN_APP": "opens the application", "auth_open": "opens the application",
  ]

  /// What the category of a push says about its buttons, where it is no ordinary one; one that is not known is shown
  /// as it is.
  static func category(_ category: JSON?) -> SafeText? {
    switch category?.string {
    case nil, "BANNER_BUTTONS", "auth": nil
    case "WITHOUT_BANNER_BUTTONS", "none": "has no buttons"
    case "APPROVE_AND_OPEN_APP", "auth_open": "opens the application when it is approved"
    case let name?: "\(name)"
    }
  }

  /// What is to be typed, and what becomes of a wrong number; the choices are not for guessing and not shown.
  static func number(_ matching: JSON?) -> SafeText? {
    switch matching?["type"]?.string {
    case nil: nil
    case "SELECT_NUMBER": "the one shown where you sign on; a wrong one denies the request"
    default: "the one shown where you sign on; the third wrong one denies the request"
    }
  }

  /// Why a push was denied, if a reason was given.
  static func reason(_ reason: JSON?) -> SafeText? {
    switch reason?.string {
    case nil, "NONE": nil
    case "REPORT_FRAUD": "reported as fraud"
    case "BIOMETRICS_REJECTED": "biometrics rejected"
    case let name?: "\(name)"
    }
  }
}
