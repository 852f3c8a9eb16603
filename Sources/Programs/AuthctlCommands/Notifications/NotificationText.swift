internal import ControlAPI
internal import ControlClient

/// Pushes in text form.
enum NotificationText {
  static func line(_ notification: NotificationObject) -> SafeText {
    row(notification).joined(separator: "  ")
  }

  /// Returns the cells of a push in a list, with its remaining time or, once settled, the time of its answer.
  static func row(_ notification: NotificationObject) -> [SafeText] {
    let time =
      notification.isSettled
      ? notification.answer.map { "\($0.at)" } ?? "-" : Describe.expiry(notification.expiresAt)
    return ["\(notification.id)", state(notification), time, title(notification.content)]
  }

  /// Returns everything that the user needs for a decision.
  ///
  /// Omits the numbers to choose from: the user must read the right number on the sign-on page, not guess it.
  static func description(_ notification: NotificationObject, among accounts: [Account]) -> [SafeText] {
    let content = notification.content
    var rows: [[SafeText]] = []
    if let title = content.title { rows.append(["title", "\(title)"]) }
    if let body = content.body { rows.append(["text", "\(body)"]) }
    rows += ContextText.rows(content.clientContext)
    if let context = content.applicationContext {
      rows.append(["application", ContextText.application(context)])
    }
    rows.append(["account", Describe.account(of: notification, among: accounts)])
    if let category = category(notification.buttons) { rows.append(["category", category]) }
    if let matching = content.numberMatching { rows.append(["number", number(matching)]) }
    if let age = Describe.age(of: notification.receivedAt) { rows.append(["came", "\(age) ago"]) }
    rows.append(["ends", Describe.expiry(notification.expiresAt)])
    return Columns.lines(rows)
  }

  /// Returns the reason of a denial, if one was given.
  static func reason(_ answer: NotificationObject.Answer?) -> SafeText? {
    switch answer?.reason {
    case nil, "NONE": nil
    case "REPORT_FRAUD": "reported as fraud"
    case "BIOMETRICS_REJECTED": "biometrics rejected"
    case let name?: "\(name)"
    }
  }

  /// Returns title and text in one line.
  private static func title(_ content: NotificationObject.Content) -> SafeText {
    let texts = [content.title, content.body].compactMap { $0 }.map { "\($0)" as SafeText }
    return texts.isEmpty ? "(no text)" : texts.joined(separator: ": ")
  }

  /// Returns state and kind of a push, and its requirements or the reason of its answer.
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
      switch notification.buttons {
      case .none: "without buttons"
      case .opensApplication: "opens the application"
      case .ordinary, .unknown: nil
      }
    return (notification.wantsNumber ? ["requires a number"] : []) + [exception].compactMap { $0 }
  }

  /// Returns the effect of a push's category on its buttons, or its name; `nil` for ordinary buttons.
  private static func category(_ buttons: NotificationObject.Buttons) -> SafeText? {
    switch buttons {
    case .ordinary: nil
    case .none: "has no buttons"
    case .opensApplication: "opens the application when it is approved"
    case .unknown(let name): "\(name)"
    }
  }

  private static func number(_ matching: String) -> SafeText {
    matching == "SELECT_NUMBER"
      ? "the one shown where you sign on; a wrong one denies the request"
      : "the one shown where you sign on; the third wrong one denies the request"
  }
}
