internal import JSON

/// What a step of a sign-on shows and asks.
package struct SignOnPage: Sendable {
  package var title: String?
  /// What is said below the heading.
  package var description: String?
  /// The server's own name of the page.
  package var stage: String?
  package var collectors: [Collector] = []
  /// How to go on.
  package var actions: [Action] = []
  /// What a person has to know, most of all what went wrong.
  package var message: String?
  /// Where a browser has to be sent, https unless it is this machine.
  package var browserURL: String?

  package init() {}

  /// A way to go on.
  package struct Action: Sendable {
    /// What an action does.
    package enum Kind: String, CaseIterable, Sendable {
      /// Hands in the answers.
      case submit
      case flow
      /// Goes another way that looks like a link.
      case link
    }

    /// The name under which it is chosen.
    package let key: String
    /// What to call it.
    package let label: String
    package let kind: Kind

    /// One way to go on.
    package init(key: String, label: String, kind: Kind) {
      (self.key, self.label, self.kind) = (key, label, kind)
    }
  }

  static let properties: [Property] = [
    .optional("title", .text(maximum: 800)),
    .optional("description", .text(maximum: 1600), "what is said below the title"),
    .optional("stage", .text(maximum: 8192), "the server's own name of the page"),
    .required("collectors", .array(Collector.schema), "what to ask and to show, in this order"),
    .required("actions", .array(Action.schema), "the ways to go on; without any, answers are all it takes"),
    .optional("message", .text(maximum: 1600), "what a person has to know, most of all what went wrong"),
    .optional("browserUrl", .text(maximum: 8192), "where a browser has to be sent"),
  ]

  func write(to object: inout JSONObject) {
    object["title"] = title.map { .string($0) }
    object["description"] = description.map { .string($0) }
    object["stage"] = stage.map { .string($0) }
    object["collectors"] = .array(collectors.map(\.json))
    object["actions"] = .array(actions.map(\.json))
    object["message"] = message.map { .string($0) }
    object["browserUrl"] = browserURL.map { .string($0) }
  }
}

extension SignOnPage.Action {
  static let schema = Schema.object([
    .required("key", .text(maximum: 256)), .required("label", .text(maximum: 800)),
    .required("kind", .choice(Kind.allCases.map(\.rawValue))),
  ])

  var json: JSON { ["key": .string(key), "label": .string(label), "kind": .string(kind.rawValue)] }
}
