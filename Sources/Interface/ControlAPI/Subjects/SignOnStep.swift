public import JSON

/// A step of a sign-on: the next page for the user, or the result.
public struct Node: ControlObject {
  public enum Outcome: String, ControlChoice {
    case next = "continue"
    /// The inputs were wrong; the node repeats the same step.
    case error
    /// The sign-on has failed and must be started again.
    case failure
    case success
  }

  public let login: String
  public let outcome: Open<Outcome>
  public let method: Open<LoginMethod>
  /// The server that receives the inputs: the issuer, or for a journey the PingAM server.
  public var issuer: String?
  /// The page to show; empty at the end.
  public var page: SignOnPage
  public var cause: String?
  public var user: User?
  /// The pairing that a successful sign-on requests; an inner `nil` means that there is nothing to pair.
  public var pairing: PairingRequest??
  /// The result of the operations on devices.
  public var devices: DeviceOutcome?

  public static let shape = Shape(
    "Node",
    Node.init(login:outcome:method:issuer:page:cause:user:pairing:devices:),
    .required("login", \.login, as: .identifier, "the sign-on's id"),
    .required("node", \.outcome, "the state"),
    .required("method", \.method, "the sign-on method"),
    .optional("issuer", \.issuer, "the issuer, or for a journey its server"),
    .inline(\.page),
    .optional("cause", \.cause, "the stable name of a failure's cause"),
    .optional("user", \.user, "the signed-on user"),
    .optional("pairing", \.pairing, "the requested pairing; null: nothing to pair"),
    .optional("devices", \.devices, "the result of the operations on the devices")
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

/// The page of a sign-on step: its texts, inputs and actions.
public struct SignOnPage: ControlObject {
  public var title: String?
  public var description: String?
  /// The server's name of the page.
  public var stage: String?
  public var collectors: [Collector] = []
  public var actions: [Action] = []
  public var message: String?
  /// The URL to open in a browser; it uses https unless its host is this machine.
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

  /// An action that continues the sign-on.
  public struct Action: ControlObject {
    public enum Kind: String, ControlChoice {
      /// Submits the inputs.
      case submit
      case flow
      /// Takes another branch; shown as a link.
      case link
    }

    public let key: String
    public let label: String
    public let kind: Open<Kind>

    public static let shape = Shape(
      Action.init(key:label:kind:),
      .required("key", \.key, as: .text(maximum: 256), "the action of login.next"),
      .required("label", \.label, "the label"),
      .required("kind", \.kind, "submits the inputs, or takes another branch")
    )
  }

  public static let shape = Shape(
    SignOnPage.init(title:description:stage:collectors:actions:message:browserURL:),
    .optional("title", \.title, "the title"),
    .optional("description", \.description, as: .text(maximum: 1600), "the text below the title"),
    .optional("stage", \.stage, as: .text(maximum: 8192), "the server's name of the page"),
    .required("collectors", \.collectors, "the inputs and outputs, in this order"),
    .required("actions", \.actions, "the actions; empty: the inputs suffice"),
    .optional(
      "message",
      \.message,
      as: .text(maximum: 1600),
      "the message for the user, mostly an error"
    ),
    .optional("browserUrl", \.browserURL, as: .text(maximum: 8192), "the URL to open in a browser")
  )
}

extension SignOnPage.Action {
  public init(key: String, label: String, kind: Kind) {
    self.init(key: key, label: label, kind: .known(kind))
  }
}

/// An input or output of a sign-on step.
public struct Collector: ControlObject {
  /// One of several values to choose from.
  public struct Option: ControlObject, Equatable {
    public let label: String
    public let value: String

    public init(label: String, value: String) { (self.label, self.value) = (label, value) }

    public static let shape = Shape(
      Option.init(label:value:),
      .required("label", \.label, "the label"),
      .required("value", \.value, as: .text(maximum: 2048), "the value to submit")
    )
  }

  /// The format of a text input.
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
        "the server's regular expression for the input"
      ),
      .optional("message", \.message, as: .text(maximum: 1600), "the message for an unmatched input")
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
  /// The server's description of the field, if the other members do not express it; at most 8 KiB.
  public var raw: JSON?

  public static let shape = Shape(
    Collector.init(key:type:label:isRequired:isSecret:options:value:validation:message:raw:),
    .required("key", \.key, as: .text(maximum: 256), "the input's key in values of login.next"),
    .required(
      "type",
      \.type,
      as: .text(maximum: 256),
      "the name of the DaVinci collector or journey callback"
    ),
    .optional("label", \.label, as: .text(maximum: 1600), "the label"),
    .optional("required", \.isRequired, default: false, "true if an input is required"),
    .optional("secret", \.isSecret, default: false, "true if the input must not be shown"),
    .optional("options", \.options, default: [], "the values to choose from"),
    .optional("value", \.value, "the default of the input, or the value to show"),
    .optional("validation", \.validation, "the format of a text input"),
    .optional("message", \.message, as: .text(maximum: 1600), "the error of the last input"),
    .optional("raw", \.raw, "the server's description, if the other members do not express it")
  )
}

extension Collector {
  public init(key: String, type: String, label: String? = nil) {
    self.init(key: key, type: type, label: label, isRequired: false)
  }
}
