package import JSON

/// A step of a sign-on: what to ask the person next, or how it ended.
package struct Node: ControlValue {
  /// How a step goes on.
  package enum Outcome: String, CaseIterable, Sendable {
    case next = "continue"
    /// The answers were wrong; the same are wanted again.
    case error
    /// It is over and has to be started again.
    case failure
    case success
  }

  package let login: String
  /// How it goes on.
  package let outcome: Outcome
  /// The method of the sign-on.
  package let method: LoginMethod
  /// What is shown and asked; empty at the end.
  package var page: SignOnPage
  /// Why it failed, by a stable name.
  package var cause: String?
  package var user: User?
  /// What a successful sign-on asks to pair; `nil` inside when there is nothing to do.
  package var pairing: PairingRequest??

  package init(login: String, outcome: Outcome, method: LoginMethod, page: SignOnPage = SignOnPage()) {
    (self.login, self.outcome, self.method, self.page) = (login, outcome, method, page)
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "Node",
      schema: .object(
        [
          .required("login", .identifier), .required("node", .choice(Outcome.allCases.map(\.rawValue))),
          .required("method", .choice(LoginMethod.names)),
        ] + SignOnPage.properties + [
          .optional("cause", .text(maximum: 800), "why it failed, by a stable name"),
          .optional("user", User.schema, "who signed on"),
          .optional("pairing", .nullable(PairingRequest.schema), "null: there is nothing to pair"),
        ]
      )
    )
  )

  package var json: JSON {
    var object: JSONObject = [
      "login": .string(login), "node": .string(outcome.rawValue), "method": .string(method.rawValue),
    ]
    page.write(to: &object)
    object["cause"] = cause.map { .string($0) }
    object["user"] = user?.json
    if let pairing { object["pairing"] = pairing?.json ?? .null }
    return .object(object)
  }
}
