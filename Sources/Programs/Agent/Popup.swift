internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Text

/// One notification of the desktop.
struct Popup: Equatable {
  /// What a person can press.
  enum Press: Equatable {
    case approve(number: Int?)
    case deny
    case report
  }

  var summary: String
  var lines: [String]
  var presses: [Press] = []
  /// Whether it goes away by itself.
  var isBrief = false
}

extension Popup.Press {
  /// What the notification server tells it by.
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
  private static let title = "Sign-on request"
  /// More would push the buttons off the screen.
  private static let mostOfContext = 6

  /// What is shown on a locked session: nothing that is anybody's.
  static let locked = Popup(summary: "A sign-on request is pending", lines: [])

  /// A word about something that is over.
  static func notice(_ text: SafeText) -> Popup {
    Popup(summary: title, lines: [cut(text.text)], isBrief: true)
  }

  /// A request, with what went wrong when it was answered last.
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
    lines += approval.hints(hasButtons: hasButtons, "\(request.id)").map(\.text)
    // Where not all of them are shown, the one that is always safe has to be among the first.
    let presses: [Press] =
      approval.mayLackButtons
      ? [.deny] + approval.presses + [.report] : approval.presses + [.deny, .report]
    return Popup(summary: title, lines: lines, presses: hasButtons ? presses : [])
  }

  /// Everything that a person needs to decide, under labels that none of it can give itself but the title and
  /// the text.
  private static func content(of request: NotificationObject, among accounts: [Account]) -> [String] {
    let content = request.content
    let texts = [
      content.title.map { cut($0) },
      content.body.map { cut($0, DisplayText.bodyLength) },
      "account: " + cut(Describe.account(of: request, among: accounts).text),
      content.applicationContext.map { "application: " + cut(ContextText.application($0).text) },
    ]
    let context = ContextText.rows(content.clientContext).prefix(mostOfContext)
    return texts.compactMap(\.self).filter { !$0.isEmpty }
      + context.map { row in cut(row.joined(separator: ": ").text) }
  }

  /// A line of bounded length, in which what steers is taken out or to be seen.
  private static func cut(_ text: String, _ maximum: Int = DisplayText.standardLength) -> String {
    ("\(DisplayText.line(text, maximum: maximum))" as SafeText).text
  }
}

/// By what a request can be approved.
private enum Approval {
  case button
  /// The one of these that is shown where the person signs on.
  case choices([Int])
  case typedNumber
  /// Its sender wants no buttons for it.
  case command
  /// The person has to be verified, which no notification does.
  case presence
  /// The PIN comes first.
  case unlocking
  /// The PIN would have to come first, and can be given no more.
  case disabled

  /// More would not fit beside each other.
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

  /// Whether a server may have no room for all: some, GNOME's among them, show three buttons, and two are for
  /// denials.
  fileprivate var mayLackButtons: Bool { presses.count > 1 }

  /// What to do where no button does it.
  func hints(hasButtons: Bool, _ id: SafeText) -> [SafeText] {
    let denial: [SafeText] = hasButtons ? [] : ["deny it with: authctl deny \(id)"]
    let approval: [SafeText] =
      switch self {
      case .button: hasButtons ? [] : ["approve it with: authctl approve \(id)"]
      case .choices where hasButtons && mayLackButtons:
        ["press the number that is shown where you sign on; if it has no button: authctl approve \(id)"]
      case .choices where hasButtons: ["press the number that is shown where you sign on"]
      case .choices, .typedNumber:
        ["approve it with the number that is shown where you sign on: authctl approve \(id)"]
      case .command: ["approve it with: authctl approve \(id)"]
      case .presence: ["approve it with your PIN: authctl approve \(id)"]
      case .unlocking: ["your authenticator is locked; open it with: authctl unlock"]
      case .disabled:
        [RPCError.pinDisabled.message, RPCError.pinDisabled.hint].compactMap(\.self).map { "\($0)" }
      }
    return approval + denial
  }
}
