import JSON

struct OneTimeCode: Sendable {
  let text: String
  let deadline: Deadline
  let isSent: Bool
  var triesLeft = 5
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
    guard let code, !tenant.clock.isOver(code.deadline), code.triesLeft > 0 else {
      throw .invalid(member, "The code is over; another has to be sent", code: "EXPIRED_CODE")
    }
    let isRight = isSameSecret(typed.uppercased(), code.text)
    guard code.isSent, isRight else {
      let left = code.triesLeft - 1
      self.code?.triesLeft = left
      throw .invalid(member, "The code is wrong", innerError: ["attemptsRemaining": .int(left)])
    }
  }
}
