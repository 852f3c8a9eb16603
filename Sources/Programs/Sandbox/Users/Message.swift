import JSON

/// A simulated mail to a user.
struct Message: Stored {
  enum Kind: String, Shown {
    case recovery = "RECOVERY_CODE"
    case verification = "VERIFICATION_CODE"
    /// A message of a flow file.
    case flow = "FLOW"
  }

  let id = ID<Message>.random()
  let kind: Kind
  var user: ID<PlatformUser>?
  var recipient: String?
  var flow: String?
  var code: String?
  var suspendedID: String?

  static let maximumCount = 200
}

struct OneTimeCode: Codable, Sendable {
  let text: String
  let deadline: EndTime
  let isSent: Bool
  var triesLeft = 5
}

extension Tenant {
  /// Throws if a text is not the code, or if the code has expired or has no tries left.
  func check(_ typed: String, against code: inout OneTimeCode?, _ member: String, _ wrong: String)
    throws(ErrorResponse)
  {
    guard let current = code, !clock.isOver(current.deadline), current.triesLeft > 0 else {
      throw .invalid(member, "The code has expired; request another", code: "EXPIRED_CODE")
    }
    let isRight = isSameSecret(typed.uppercased(), current.text)
    guard current.isSent, isRight else {
      let left = current.triesLeft - 1
      code?.triesLeft = left
      let inner: JSON = ["attemptsRemaining": .int(left)]
      throw .invalid(member, "The code is wrong", code: wrong, innerError: inner)
    }
  }
}

extension FlowPlay {
  /// Sends a new code to the user with this name; does not report if the user is unknown.
  func sendCode(_ kind: Message.Kind, to username: String) {
    let user = tenant.user(named: username)
    let (text, deadline) = (randomText(8, of: codeAlphabet), tenant.clock.deadline(in: 900))
    code = OneTimeCode(text: text, deadline: deadline, isSent: user != nil)
    if let user { send(Message(kind: kind, user: user.id, code: text)) }
  }

  func checkCode(_ typed: String, _ member: String) throws(ErrorResponse) {
    try tenant.check(typed, against: &code, member, "INVALID_VALUE")
  }
}

extension ConsoleSection {
  /// The mails to users.
  static let messages = ConsoleSection(
    title: "Messages",
    path: "\(base)/messages",
    routes: [.page("\(base)/messages") { showMessages($0) }]
  )

  private static let most = 100

  private static func showMessages(_ visit: Visit) -> ConsolePage {
    let tenant = visit.tenant
    let messages = tenant.messages.all.suffix(most).reversed().map { message -> [HTML] in
      [
        HTML(message.user.flatMap { tenant.users[$0]?.username } ?? ""), HTML(message.recipient ?? ""),
        .code(message.kind.rawValue), message.code.map { .code($0) } ?? "",
      ]
    }
    return ConsolePage(
      "Messages",
      .element("p", "The sandbox sends no mails. This page shows their content."),
      .table(["User", "To", "Kind", "Code"], messages, none: "There are no messages.")
    )
  }
}
