import JSON
import Time

/// A message to a device, as AM's delegate for delivery gets it.
struct PushMessage: Stored {
  /// The message's own identifier, by which it is answered.
  let id: ID<PushMessage>
  let token: String
  let mechanism: String
  let deviceID: String
  let kind: String

  static let maximumCount = 200

  var json: JSON {
    .of([
      "messageId": id, "message": token, "mechanismUid": mechanism, "deviceId": deviceID, "pushType": kind,
    ])
  }
}

/// How a message asks for the user's consent.
enum PushKind: String, CaseIterable {
  case plain = "default"
  case challenge
  case biometric
}

extension Tenant {
  /// The numbers that a challenge lets choose from, of which one is shown on the page.
  private static let numbers = 10...99

  /// Sends the user's first device a message to be answered.
  func sendMessage(_ kind: PushKind, _ text: String?, to user: User, in realm: String) throws(Refusal)
    -> PushRecord
  {
    guard let factor = factors(of: user.id, .push, in: realm).first, let push = factor.push else {
      throw .am(401, "Login failure", "The user has no device for pushes.")
    }
    let numbers = kind == .challenge ? Array(Self.numbers.shuffled().prefix(3)).sorted() : []
    let record = try expectMessage(.authenticate, push.secret, in: realm, number: numbers.randomElement())
    let template = text ?? "Login attempt from {{user}} at {{issuer}}"
    // All values of the message are texts.
    let claims = JSONObject(of: [
      "u": push.mechanism, "c": standardBase64(record.challenge),
      "l": standardBase64(Array(Enrolment.loadBalancerCookie.utf8)),
      "t": String(self.amSettings.messageSeconds), "i": String(clock.passcodeTime.milliseconds),
      "m": filled(template, for: user), "k": kind.rawValue,
      "n": numbers.isEmpty ? nil : numbers.map { String($0) }.joined(separator: ","), "d": user.username,
      "p": "{  }", "x": self.amSettings.sendsContext ? Self.context : nil,
    ])
    let message = PushMessage(
      id: ID(record.id.text),
      token: try SharedSecretJWT(push.secret).sign(claims),
      mechanism: push.mechanism,
      deviceID: push.deviceID,
      kind: kind.rawValue
    )
    pushMessages.put(message)
    delegate.deliver(message, anywhere: self.amSettings.deliversAnywhere)
    return record
  }

  private static let context =
    #"{"location":{"latitude":46.948,"longitude":7.4474},"remoteIp":"198.51.100.7","userAgent":"Sandbox"}"#

  private func filled(_ template: String, for user: User) -> String {
    [("{{user}}", user.username), ("{{issuer}}", Enrolment.defaultIssuer)].reduce(template) { text, value in
      text.split(separator: value.0, omittingEmptySubsequences: false).joined(separator: value.1)
    }
  }
}
