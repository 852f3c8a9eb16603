internal import ControlAPI
internal import ControlClient

/// Pushes in text form.
enum NotificationText {
  static func line(_ notification: NotificationObject) -> SafeText {
    row(notification).joined(separator: "  ")
  }

  /// Returns the cells of a push in a list: text, origin, age, state, and the beginning of the id.
  static func row(_ notification: NotificationObject) -> [SafeText] {
    [
      title(notification.content), origin(notification.content),
      Describe.age(of: notification.receivedAt).map { "\($0) ago" } ?? "-",
      [state(notification), time(notification)].compactMap(\.self).joined(separator: ", "),
      Describe.short(notification.id),
    ]
  }

  /// Returns a push in an answer: its text and the beginning of its id.
  static func name(_ notification: NotificationObject) -> SafeText {
    let isHidden = notification.content.title == nil && notification.content.body == nil
    let text = isHidden ? "request" : title(notification.content)
    let application = notification.content.applicationContext.map(ContextText.application)
    let parts = [text, application].compactMap(\.self).joined(separator: ", ")
    return "\(parts) (\(Describe.short(notification.id)))"
  }

  /// Returns the remaining time of a push or, once settled, the time of its answer.
  private static func time(_ notification: NotificationObject) -> SafeText? {
    guard notification.isSettled else {
      return Describe.remaining(notification.expiresAt).map { "ends in \($0)" } ?? "expired"
    }
    return notification.answer.map { "\($0.at)" }
  }

  /// Returns the place that a sign-on comes from and its application.
  private static func origin(_ content: NotificationObject.Content) -> SafeText {
    let parts = [
      ContextText.place(content.clientContext), content.applicationContext.map(ContextText.application),
    ]
    let texts = parts.compactMap(\.self).map(cut)
    return texts.isEmpty ? "-" : texts.joined(separator: ", ")
  }

  private static func cut(_ text: SafeText) -> SafeText {
    text.text.count <= widest ? text : "\(text.text.prefix(widest - 1))…"
  }

  /// Maximum number of characters of a text in a list.
  private static let widest = 60

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

  /// Returns title and text in one line of limited length.
  private static func title(_ content: NotificationObject.Content) -> SafeText {
    let texts = [content.title, content.body].compactMap { $0 }.map { "\($0)" as SafeText }
    return texts.isEmpty ? "(no text)" : cut(texts.joined(separator: ": "))
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
