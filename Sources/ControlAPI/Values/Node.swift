package import JSON

/// A step of a sign-on: what to ask the person next, or how it ended.
package struct Node: ControlValue {
  /// How a step goes on.
  package enum Outcome: String, CaseIterable, Sendable {
    /// Wants answers.
    case next = "continue"
    /// The answers were wrong; the same are wanted again.
    case error
    /// It is over and has to be started again.
    case failure
    /// It is done.
    case success
  }

  /// One thing to ask.
  package struct Collector: Sendable {
    /// The name under which the answer is handed in.
    package let key: String
    /// The collector's or callback's own name.
    package let type: String
    /// What to call it.
    package let label: String?
    /// Whether an answer is needed.
    package let isRequired: Bool
    /// Whether the answer must not be shown.
    package let isSecret: Bool

    /// One thing to ask.
    package init(key: String, type: String, label: String?, isRequired: Bool, isSecret: Bool) {
      (self.key, self.type, self.label) = (key, type, label)
      (self.isRequired, self.isSecret) = (isRequired, isSecret)
    }
  }

  /// One way to go on.
  package struct Action: Sendable {
    /// What an action does.
    package enum Kind: String, CaseIterable, Sendable {
      case submit, flow, link
    }

    /// The name under which it is chosen.
    package let key: String
    /// What to call it.
    package let label: String
    /// What it does.
    package let kind: Kind

    /// One way to go on.
    package init(key: String, label: String, kind: Kind) {
      (self.key, self.label, self.kind) = (key, label, kind)
    }
  }

  /// The sign-on's id.
  package let login: String
  /// How it goes on.
  package let outcome: Outcome
  /// The method of the sign-on.
  package let method: String
  /// The heading.
  package var title: String?
  /// What to ask.
  package var collectors: [Collector] = []
  /// How to go on.
  package var actions: [Action] = []
  /// What went wrong, for a person.
  package var message: String?
  /// Why it failed, by a stable name.
  package var cause: String?
  /// Who signed on.
  package var user: User?
  /// What a successful sign-on asks to pair; `nil` inside when there is nothing to do.
  package var pairing: PairingRequest??

  /// A step.
  package init(login: String, outcome: Outcome, method: String) {
    (self.login, self.outcome, self.method) = (login, outcome, method)
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "Node",
      schema: .object([
        .required("login", .identifier), .required("node", .choice(Outcome.allCases.map(\.rawValue))),
        .required("method", .choice(LoginStart.methods)), .optional("title", .text(maximum: 800)),
        .required("collectors", .array(Collector.schema)), .required("actions", .array(Action.schema)),
        .optional("message", .text(maximum: 1600)), .optional("cause", .text(maximum: 800)),
        .optional("user", User.schema), .optional("pairing", .nullable(PairingRequest.schema)),
      ])
    )
  )

  /// The step.
  package var json: JSON {
    var object: JSONObject = [
      "login": .string(login), "node": .string(outcome.rawValue), "method": .string(method),
    ]
    object["title"] = title.map { .string($0) }
    object["collectors"] = .array(collectors.map(\.json))
    object["actions"] = .array(actions.map(\.json))
    object["message"] = message.map { .string($0) }
    object["cause"] = cause.map { .string($0) }
    object["user"] = user?.json
    if let pairing { object["pairing"] = pairing?.json ?? .null }
    return .object(object)
  }
}

extension Node.Collector {
  static let schema = Schema.object([
    .required("key", .text(maximum: 256)), .required("type", .text(maximum: 256)),
    .optional("label", .text(maximum: 800)), .optional("required", .boolean), .optional("secret", .boolean),
  ])

  var json: JSON {
    var object: JSONObject = ["key": .string(key), "type": .string(type)]
    object["label"] = label.map { .string($0) }
    if isRequired { object["required"] = true }
    if isSecret { object["secret"] = true }
    return .object(object)
  }
}

extension Node.Action {
  static let schema = Schema.object([
    .required("key", .text(maximum: 256)), .required("label", .text(maximum: 800)),
    .required("kind", .choice(Kind.allCases.map(\.rawValue))),
  ])

  var json: JSON { ["key": .string(key), "label": .string(label), "kind": .string(kind.rawValue)] }
}
