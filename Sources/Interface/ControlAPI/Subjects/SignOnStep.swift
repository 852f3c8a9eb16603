package import JSON

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

/// One thing that a step of a sign-on asks or shows.
package struct Collector: ControlObject {
  /// One of several values to choose from.
  package struct Option: ControlObject, Equatable {
    package let label: String
    package let value: String

    package init(label: String, value: String) { (self.label, self.value) = (label, value) }

    package static let shape = Shape(
      Option.init(label:value:),
      .required("label", \.label, "what to call it"),
      .required("value", \.value, as: .text(maximum: 2048), "what is handed in for it")
    )
  }

  /// What a text has to look like.
  package struct Validation: ControlObject, Equatable {
    package let pattern: String?
    package let message: String?

    package init(pattern: String?, message: String?) { (self.pattern, self.message) = (pattern, message) }

    package static let shape = Shape(
      Validation.init(pattern:message:),
      .optional(
        "pattern",
        \.pattern,
        as: .text(maximum: 2048),
        "a regular expression that it has to match, as the server writes it"
      ),
      .optional("message", \.message, as: .text(maximum: 1600), "what to say of a text that does not")
    )
  }

  package let key: String
  package let type: String
  package var label: String?
  package var isRequired = false
  package var isSecret = false
  package var options: [Option] = []
  package var value: JSON?
  package var validation: Validation?
  package var message: String?
  /// At most 8 KiB.
  package var raw: JSON?

  package static let shape = Shape(
    Collector.init(key:type:label:isRequired:isSecret:options:value:validation:message:raw:),
    .required("key", \.key, as: .text(maximum: 256), "the name under which the input is handed in"),
    .required(
      "type",
      \.type,
      as: .text(maximum: 256),
      "the name of a collector of DaVinci or a callback of a journey"
    ),
    .optional("label", \.label, as: .text(maximum: 1600), "what to call it"),
    .optional("required", \.isRequired, default: false, "an input is needed"),
    .optional("secret", \.isSecret, default: false, "the input must not be shown"),
    .optional("options", \.options, default: [], "the values to choose from"),
    .optional("value", \.value, "what stands unless there is an input, or what is shown"),
    .optional("validation", \.validation, "what a text has to look like"),
    .optional("message", \.message, as: .text(maximum: 1600), "what is wrong with the last input"),
    .optional("raw", \.raw, "the server's own description, for what is not expressed otherwise")
  )
}

extension Collector {
  package init(key: String, type: String, label: String? = nil) {
    self.init(key: key, type: type, label: label, isRequired: false)
  }
}
