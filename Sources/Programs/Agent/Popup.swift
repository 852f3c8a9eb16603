internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Text

/// The contents of one desktop notification.
struct Popup: Equatable {
  /// A button of a notification.
  enum Press: Equatable {
    case approve(number: Int?)
    case deny
    case report
  }

  var summary: String
  var lines: [String]
  var presses: [Press] = []
  /// True if the notification disappears automatically.
  var isBrief = false
}

extension Popup.Press {
  /// The action key by which the notification server reports the button.
  var key: String {
    switch self {
    case .approve(nil): "approve"
    case .approve(let number?): "number-\(number)"
    case .deny: "deny"
    case .report: "report"
    }
  }

  var label: String {
    switch self {
    case .approve(nil): "Approve"
    case .approve(let number?): String(number)
    case .deny: "Deny"
    case .report: "Report"
    }
  }
}

extension Popup {
  /// The summary of notices, and of requests without a title or with a hidden one.
  private static let title = "Sign-on request"
  /// Maximum number of context lines; more would push the buttons off the screen.
  private static let mostOfContext = 6

  /// The notification of a locked session, without personal data.
  static let locked = Popup(summary: "A sign-on request is pending", lines: [])

  /// Returns a brief notification about an ended request.
  static func notice(_ text: SafeText) -> Popup {
    Popup(summary: title, lines: [cut(text.text)], isBrief: true)
  }

  /// Returns the notification of a request, with the error of the last answer.
  static func request(
    _ request: NotificationObject,
    _ standing: OwnerStanding,
    among accounts: [Account],
    note: SafeText?,
    hasButtons: Bool
  ) -> Popup {
    let approval = Approval(of: request, standing)
    var lines = standing.isLocked ? [] : content(of: request, among: accounts)
    if let note { lines.append(cut(note.text)) }
    lines += approval.hints(hasButtons: hasButtons).map(\.text)
    // A server may show only the first buttons, so the safe button, `deny`, comes first.
    let presses: [Press] =
      approval.mayLackButtons
      ? [.deny] + approval.presses + [.report] : approval.presses + [.deny, .report]
    let own = standing.isLocked ? "" : cut(request.content.title ?? "")
    return Popup(summary: own.isEmpty ? title : own, lines: lines, presses: hasButtons ? presses : [])
  }

  /// Returns everything that the user needs for a decision, except the title.
  ///
  /// The text comes first, without a label; every other value has a label. Each value is one line, so it
  /// cannot add a line with a false label.
  private static func content(of request: NotificationObject, among accounts: [Account]) -> [String] {
    let content = request.content
    let texts = [
      content.body.map { cut($0, DisplayText.bodyLength) },
      "account: " + cut(Describe.account(of: request, among: accounts).text),
      content.applicationContext.map { "application: " + cut(ContextText.application($0).text) },
    ]
    let context = ContextText.rows(content.clientContext).prefix(mostOfContext)
    return texts.compactMap(\.self).filter { !$0.isEmpty }
      + context.map { row in cut(row.joined(separator: ": ").text) }
  }

  /// Returns a line of bounded length, with control characters removed or made visible.
  private static func cut(_ text: String, _ maximum: Int = DisplayText.standardLength) -> String {
    ("\(DisplayText.line(text, maximum: maximum))" as SafeText).text
  }
}

/// The way in which the user can approve a request.
private enum Approval {
  case button
  /// One button for each number; the user presses the number that the sign-on page shows.
  case choices([Int])
  case typedNumber
  /// The user approves with a command, because the sender requests no buttons.
  case command
  /// The user approves with a command, because a notification cannot verify the required presence.
  case presence
  /// The user must unlock with the PIN first.
  case unlocking
  /// No approval is possible, because the PIN is required and disabled.
  case disabled

  /// Maximum number of buttons with numbers; more do not fit side by side.
  private static let mostChoices = 10

  init(of request: NotificationObject, _ standing: OwnerStanding) {
    let content = request.content
    if standing.isDisabled {
      self = .disabled
    } else if standing.isLocked {
      self = .unlocking
    } else if standing.wantsPresence {
      self = .presence
    } else if content.numberMatching != nil {
      let options = content.numberOptions ?? []
      self = (1...Self.mostChoices).contains(options.count) ? .choices(options) : .typedNumber
    } else {
      self = request.buttons == .none ? .command : .button
    }
  }

  var presses: [Popup.Press] {
    switch self {
    case .button: [.approve(number: nil)]
    case .choices(let numbers): numbers.map { .approve(number: $0) }
    case .typedNumber, .command, .presence, .unlocking, .disabled: []
    }
  }

  /// True if a server may hide some buttons.
  ///
  /// Some servers, such as GNOME's, show only three buttons. Every request has two buttons that deny.
  fileprivate var mayLackButtons: Bool { presses.count > 1 }

  /// Returns the commands for decisions that have no button.
  ///
  /// The commands need no id: they show the pending request, or a list if there are several.
  func hints(hasButtons: Bool) -> [SafeText] {
    let denial: [SafeText] = hasButtons ? [] : ["deny it with: authctl deny"]
    let approval: [SafeText] =
      switch self {
      case .button: hasButtons ? [] : ["approve it with: authctl approve"]
      case .choices where hasButtons && mayLackButtons:
        ["press the number that is shown where you sign on; if it has no button: authctl approve"]
      case .choices where hasButtons: ["press the number that is shown where you sign on"]
      case .choices, .typedNumber:
        ["approve it with the number that is shown where you sign on: authctl approve"]
      case .command: ["approve it with: authctl approve"]
      case .presence: ["approve it with your PIN: authctl approve"]
      case .unlocking: ["your authenticator is locked; open it with: authctl unlock"]
      case .disabled:
        [RPCError.pinDisabled.message, RPCError.pinDisabled.hint].compactMap(\.self).map { "\($0)" }
      }
    return approval + denial
  }
}
