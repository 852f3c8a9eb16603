/// A step of a sign-on: what to ask the person next, or how it ended.
package struct Node: ControlObject {
  package enum Outcome: String, ControlChoice {
    case next = "continue"
    /// The inputs were wrong; the same are wanted again.
    case error
    /// It is over and has to be started again.
    case failure
    case success
  }

  package let login: String
  package let outcome: Open<Outcome>
  package let method: Open<LoginMethod>
  /// Whom the answers go to: the issuer, or of a journey its server.
  package var issuer: String?
  /// What is shown and asked; empty at the end.
  package var page: SignOnPage
  package var cause: String?
  package var user: User?
  /// What a successful sign-on asks to pair; `nil` inside when there is nothing to do.
  package var pairing: PairingRequest??
  /// What became of what was to be done with devices.
  package var devices: DeviceOutcome?

  package static let shape = Shape(
    "Node",
    Node.init(login:outcome:method:issuer:page:cause:user:pairing:devices:),
    .required("login", \.login, as: .identifier, "what requests name the sign-on by"),
    .required("node", \.outcome, "how it goes on"),
    .required("method", \.method, "the way to sign on"),
    .optional("issuer", \.issuer, "where one signs on: the issuer, or of a journey its server"),
    .inline(\.page),
    .optional("cause", \.cause, "why it failed, by a stable name"),
    .optional("user", \.user, "who signed on"),
    .optional("pairing", \.pairing, "what is to be paired; null: there is nothing to pair"),
    .optional("devices", \.devices, "what was done with the user's devices")
  )
}

extension Node {
  package init(
    login: String,
    outcome: Outcome,
    method: LoginMethod,
    issuer: String?,
    page: SignOnPage = SignOnPage()
  ) {
    self.init(
      login: login,
      outcome: .known(outcome),
      method: .known(method),
      issuer: issuer,
      page: page,
      cause: nil,
      user: nil,
      pairing: nil,
      devices: nil
    )
  }
}
