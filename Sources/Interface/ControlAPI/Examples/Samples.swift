internal import Configuration
package import JSON
package import Time

/// Ann and what she has: the values that the examples of methods are made of.
package enum Samples {
  package static let instant = Timestamp(seconds: 1_795_251_600)

  package static var user: User { User(id: "u-1", username: "ann", given: "Ann", family: "Archer") }

  package static var pairing: PairingRequest {
    PairingRequest(
      id: "p1",
      user: user,
      environment: "e-1",
      geography: .europe,
      expiresAt: instant.adding(seconds: 600)
    )
  }

  package static var authenticators: [PairedAuthenticator] {
    [
      PairedAuthenticator(type: "PUSH", status: "COMPLETED"),
      PairedAuthenticator(type: "OTP", status: "COMPLETED"),
    ]
  }

  package static var account: Account {
    Account(
      id: "a1",
      geography: .europe,
      environment: "e-1",
      user: user,
      label: "ann",
      nickname: "desk",
      authenticators: authenticators,
      lock: nil,
      createdAt: instant,
      state: .active
    )
  }

  package static let keyURI =
    "otpauth://totp/ACME:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"

  package static var oathAccount: Account {
    Account(
      id: "a2",
      kind: .oath,
      issuer: "ACME",
      label: "ann",
      nickname: nil,
      authenticators: [PairedAuthenticator(type: "OTP", status: "COMPLETED")],
      lock: nil,
      createdAt: instant,
      state: .active
    )
  }

  package static var paired: PairingInfo {
    PairingInfo(account: "a1", user: user, authenticators: authenticators)
  }

  package static var passcode: Passcode {
    Passcode(
      account: "a1",
      current: Passcode.Window(passcode: "730219", validFrom: 1_795_251_600, validUntil: 1_795_251_630),
      period: 30,
      remaining: 21,
      next: nil
    )
  }

  package static var notification: NotificationObject { notification(.pending) }

  package static var approval: NotificationObject.Answer {
    NotificationObject.Answer(
      decision: "approve",
      authenticationMethod: AuthenticationMethod.standard,
      reason: nil,
      at: instant.adding(seconds: 9)
    )
  }

  package static var denial: NotificationObject.Answer {
    NotificationObject.Answer(
      decision: "deny",
      authenticationMethod: nil,
      reason: "REPORT_FRAUD",
      at: instant.adding(seconds: 9)
    )
  }

  /// A transport's message, which holds the platform's in a compact JWS.
  package static var payload: JSON { ["data": ["message": "eyJ….eyJ….sig"]] }

  package static func notification(
    _ state: NotificationObject.State,
    _ answer: NotificationObject.Answer? = nil
  ) -> NotificationObject {
    var content = NotificationObject.Content()
    (content.title, content.body) = ("Sign on", "Approve the sign-on to Payroll?")
    return NotificationObject(
      id: "n1",
      account: "a1",
      kind: .known(.authentication),
      state: .known(state),
      content: content,
      timeoutDuration: 120,
      receivedAt: instant,
      expiresAt: instant.adding(seconds: 120),
      answer: answer
    )
  }

  package static var code: AuthenticationObject {
    AuthenticationObject(
      id: "c1",
      status: .claimed,
      users: [user],
      userApproval: "REQUIRED",
      clientContext: nil,
      expiresAt: instant.adding(seconds: 300)
    )
  }
}
