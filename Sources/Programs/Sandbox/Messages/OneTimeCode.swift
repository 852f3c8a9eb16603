import JSON

struct OneTimeCode: Codable, Sendable {
  let text: String
  let deadline: Deadline
  let isSent: Bool
  var triesLeft = 5
}

extension Tenant {
  /// Refuses a text that is not the code, and any when its time or its tries are over.
  func check(_ typed: String, against code: inout OneTimeCode?, _ member: String, _ wrong: String)
    throws(Refusal)
  {
    guard let current = code, !clock.isOver(current.deadline), current.triesLeft > 0 else {
      throw .invalid(member, "The code is over; another has to be sent", code: "EXPIRED_CODE")
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
  /// Sends the user of that name a fresh code; says nothing if there is none.
  func sendCode(_ kind: Message.Kind, to username: String) {
    let user = tenant.user(named: username)
    let (text, deadline) = (randomText(8, of: codeAlphabet), tenant.clock.deadline(in: 900))
    code = OneTimeCode(text: text, deadline: deadline, isSent: user != nil)
    if let user { send(Message(kind: kind, user: user.id, code: text)) }
  }

  func checkCode(_ typed: String, _ member: String) throws(Refusal) {
    try tenant.check(typed, against: &code, member, "INVALID_VALUE")
  }
}
