import JSON
import OpenSSL

/// A code that a message brings to a user, to be typed in once and in time.
struct OneTimeCode: Sendable {
  let text: String
  let deadline: Deadline
  /// How often it may still be wrong.
  var triesLeft = 5

  static let seconds = 900
  private static let length = 8

  init(deadline: Deadline) {
    text = randomText(Self.length, of: codeAlphabet)
    self.deadline = deadline
  }
}

extension Tenant {
  /// Sends a fresh code for a flow; a code to nobody is never typed in.
  func sendCode(_ kind: Message.Kind, to user: ID<User>?, in flow: inout SignOnFlow) {
    let code = OneTimeCode(deadline: clock.deadline(in: OneTimeCode.seconds))
    flow.code = code
    guard let user else { return }
    let message = Message(kind: kind, user: user, code: code.text)
    messages.put(message, keeping: Message.maximumCount)
  }

  /// Checks the code of a flow, which the caller uses up; what is wrong counts.
  func checkCode(_ typed: String, _ member: String, in flow: inout SignOnFlow) throws(PingOneError) {
    guard var code = flow.code, !clock.isOver(code.deadline), code.triesLeft > 0 else {
      throw .invalid(member, "The code is over; another has to be sent", code: "EXPIRED_CODE")
    }
    let given = Array(typed.uppercased().utf8)
    guard flow.codeUser != nil, constantTimeEqual(given, Array(code.text.utf8)) else {
      code.triesLeft -= 1
      flow.code = code
      throw .invalid(
        member,
        "The code is wrong",
        innerError: ["attemptsRemaining": .int(code.triesLeft)]
      )
    }
  }
}
