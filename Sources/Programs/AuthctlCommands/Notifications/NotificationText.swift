internal import ControlAPI

extension NotificationObject {
  /// Whether a person can be asked about it; a type that is not known yet may be.
  var canBeAnswered: Bool {
    state == .pending && kind != .cancelled && kind != .done && kind != .test
  }

  /// Whether nothing more can become of it.
  var isSettled: Bool { state != .pending && state != .sending }

  var wantsNumber: Bool { content.numberMatching != nil }
}

/// Pushes as a person reads them.
enum NotificationText {
  static func line(_ notification: NotificationObject) -> SafeText {
    row(notification).joined(separator: "  ")
  }

  /// The cells of its line in a list: while it is open how long it stays so, afterwards when it was answered.
  static func row(_ notification: NotificationObject) -> [SafeText] {
    let time =
      notification.isSettled
      ? notification.answer.map { "\($0.at)" } ?? "-" : Describe.expiry(notification.expiresAt)
    return ["\(notification.id)", state(notification), time, title(notification.content)]
  }

  /// Everything that a person needs to decide.
  ///
  /// The choices of a number are not shown: the right one has to be read where the sign-on happens, not guessed.
  static func description(_ notification: NotificationObject) -> [SafeText] {
    let content = notification.content
    var rows: [[SafeText]] = []
    if let title = content.title { rows.append(["title", "\(title)"]) }
    if let body = content.body { rows.append(["text", "\(body)"]) }
    rows += ContextText.rows(content.clientContext)
    if let context = content.applicationContext {
      rows.append(["application", ContextText.application(context)])
    }
    rows.append(["account", "\(notification.account)"])
    if let category = category(content.category) { rows.append(["category", category]) }
    if let matching = content.numberMatching { rows.append(["number", number(matching)]) }
    rows.append(["ends", Describe.expiry(notification.expiresAt)])
    return Columns.lines(rows)
  }

  /// Why a push was denied, if a reason was given.
  static func reason(_ answer: NotificationObject.Answer?) -> SafeText? {
    switch answer?.reason {
    case nil, "NONE": nil
    case "REPORT_FRAUD": "reported as fraud"
    case "BIOMETRICS_REJECTED": "biometrics rejected"
    case let name?: "\(name)"
    }
  }

  /// What it is about, in a few words.
  private static func title(_ content: NotificationObject.Content) -> SafeText {
    let texts = [content.title, content.body].compactMap { $0 }.map { "\($0)" as SafeText }
    return texts.isEmpty ? "(no text)" : texts.joined(separator: ": ")
  }

  /// Where a push stands, what kind it is, and what it wants or how it was answered.
  private static func state(_ notification: NotificationObject) -> SafeText {
    let kind: SafeText = notification.kind == .authentication ? "" : " (\(notification.kind.name))"
    let state: SafeText =
      switch (notification.state.choice, notification.answer?.decision) {
      case (.sending, "approve"): "approval on its way"
      case (.sending, "deny"): "denial on its way"
      default: "\(notification.state.name)"
      }
    return (["\(state)\(kind)"] + more(notification)).joined(separator: ", ")
  }

  private static func more(_ notification: NotificationObject) -> [SafeText] {
    guard notification.state == .pending else { return [reason(notification.answer)].compactMap { $0 } }
    let exception: SafeText? =
      switch notification.content.category {
      case "WITHOUT_BANNER_BUTTONS", "none": "without buttons"
      case "APPROVE_AND_OPEN_APP", "auth_open": "opens the application"
      default: nil
      }
    return (notification.wantsNumber ? ["wants a number"] : []) + [exception].compactMap { $0 }
  }

  /// What the category of a push says about its buttons, where it is no ordinary one; one that is not known is shown
  /// as it is.
  private static func category(_ category: String?) -> SafeText? {
    switch category {
    case nil, "auth", "BANNER_BUTTONS": nil
    case "WITHOUT_BANNER_BUTTONS", "none": "has no buttons"
    case "APPROVE_AND_OPEN_APP", "auth_open": "opens the application when it is approved"
    case let name?: "\(name)"
    }
  }

  private static func number(_ matching: String) -> SafeText {
    matching == "SELECT_NUMBER"
      ? "the one shown where you sign on; a wrong one denies the request"
      : "the one shown where you sign on; the third wrong one denies the request"
  }
}
