internal import ControlAPI
internal import ControlClient

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
  /// The choices of a number are not shown: the right one has to be read where the sign-on happens, not
  /// guessed.
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
      switch notification.buttons {
      case .none: "without buttons"
      case .opensApplication: "opens the application"
      case .ordinary, .unknown: nil
      }
    return (notification.wantsNumber ? ["requires a number"] : []) + [exception].compactMap { $0 }
  }

  /// What the category of a push says about its buttons, where it is no ordinary one; one that is not known
  /// is shown as it is.
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
