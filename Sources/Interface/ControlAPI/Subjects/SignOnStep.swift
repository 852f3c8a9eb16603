public import JSON

/// A step of a sign-on: what to ask the person next, or how it ended.
public struct Node: ControlObject {
  public enum Outcome: String, ControlChoice {
    case next = "continue"
    /// The inputs were wrong; the same are wanted again.
    case error
    /// It is over and has to be started again.
    case failure
    case success
  }

  public let login: String
  public let outcome: Open<Outcome>
  public let method: Open<LoginMethod>
  /// Whom the answers go to: the issuer, or of a journey its server.
  public var issuer: String?
  /// What is shown and asked; empty at the end.
  public var page: SignOnPage
  public var cause: String?
  public var user: User?
  /// What a successful sign-on asks to pair; `nil` inside when there is nothing to do.
  public var pairing: PairingRequest??
  /// What became of what was to be done with devices.
  public var devices: DeviceOutcome?

  public static let shape = Shape(
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
  public init(
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
public struct SignOnPage: ControlObject {
  public var title: String?
  public var description: String?
  /// The server's own name of the page.
  public var stage: String?
  public var collectors: [Collector] = []
  public var actions: [Action] = []
  public var message: String?
  /// Where a browser has to be sent, https unless it is this machine.
  public var browserURL: String?

  public init(
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
  public struct Action: ControlObject {
    public enum Kind: String, ControlChoice {
      /// Hands in the inputs.
      case submit
      case flow
      /// Goes another way that looks like a link.
      case link
    }

    public let key: String
    public let label: String
    public let kind: Open<Kind>

    public static let shape = Shape(
      Action.init(key:label:kind:),
      .required("key", \.key, as: .text(maximum: 256), "what login.next takes as action"),
      .required("label", \.label, "what to call it"),
      .required("kind", \.kind, "whether it hands in the inputs or goes another way")
    )
  }

  public static let shape = Shape(
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
  public init(key: String, label: String, kind: Kind) {
    self.init(key: key, label: label, kind: .known(kind))
  }
}

/// One thing that a step of a sign-on asks or shows.
public struct Collector: ControlObject {
  /// One of several values to choose from.
  public struct Option: ControlObject, Equatable {
    public let label: String
    public let value: String

    public init(label: String, value: String) { (self.label, self.value) = (label, value) }

    public static let shape = Shape(
      Option.init(label:value:),
      .required("label", \.label, "what to call it"),
      .required("value", \.value, as: .text(maximum: 2048), "what is handed in for it")
    )
  }

  /// What a text has to look like.
  public struct Validation: ControlObject, Equatable {
    public let pattern: String?
    public let message: String?

    public init(pattern: String?, message: String?) { (self.pattern, self.message) = (pattern, message) }

    public static let shape = Shape(
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

  public let key: String
  public let type: String
  public var label: String?
  public var isRequired = false
  public var isSecret = false
  public var options: [Option] = []
  public var value: JSON?
  public var validation: Validation?
  public var message: String?
  /// At most 8 KiB.
  public var raw: JSON?

  public static let shape = Shape(
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
  public init(key: String, type: String, label: String? = nil) {
    self.init(key: key, type: type, label: label, isRequired: false)
  }
}
