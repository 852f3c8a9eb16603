/// What a step of a sign-on shows and asks.
package struct SignOnPage: ControlObject {
  package var title: String?
  package var description: String?
  /// The server's own name of the page.
  package var stage: String?
  package var collectors: [Collector] = []
  package var actions: [Action] = []
  package var message: String?
  /// Where a browser has to be sent, https unless it is this machine.
  package var browserURL: String?

  package init(
    title: String? = nil,
    description: String? = nil,
    stage: String? = nil,
    collectors: [Collector] = [],
    actions: [Action] = [],
    message: String? = nil,
    browserURL: String? = nil
  ) {
    (self.title, self.description, self.stage) = (title, description, stage)
    (self.collectors, self.actions) = (collectors, actions)
    (self.message, self.browserURL) = (message, browserURL)
  }

  /// A way to go on.
  package struct Action: ControlObject {
    package enum Kind: String, ControlChoice {
      /// Hands in the inputs.
      case submit
      case flow
      /// Goes another way that looks like a link.
      case link
    }

    package let key: String
    package let label: String
    package let kind: Open<Kind>

    package static let shape = Shape(
      Action.init(key:label:kind:),
      .required("key", \.key, as: .text(maximum: 256), "what login.next takes as action"),
      .required("label", \.label, "what to call it"),
      .required("kind", \.kind, "whether it hands in the inputs or goes another way")
    )
  }

  package static let shape = Shape(
    SignOnPage.init(title:description:stage:collectors:actions:message:browserURL:),
    .optional("title", \.title, "what it is called"),
    .optional("description", \.description, as: .text(maximum: 1600), "what is said below the title"),
    .optional("stage", \.stage, as: .text(maximum: 8192), "the server's own name of the page"),
    .required("collectors", \.collectors, "what to ask and to show, in this order"),
    .required("actions", \.actions, "the ways to go on; without any, inputs are all it takes"),
    .optional(
      "message",
      \.message,
      as: .text(maximum: 1600),
      "what a person has to know, most of all what went wrong"
    ),
    .optional("browserUrl", \.browserURL, as: .text(maximum: 8192), "where a browser has to be sent")
  )
}

extension SignOnPage.Action {
  package init(key: String, label: String, kind: Kind) {
    self.init(key: key, label: label, kind: .known(kind))
  }
}
