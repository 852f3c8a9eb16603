package import JSON

extension NotificationObject {
  /// What a person reads or types to decide.
  package struct Content: ControlObject {
    package var title: String?
    package var body: String?
    package var clientContext: JSON?
    package var applicationContext: JSON?
    package var category: String?
    /// How a number is matched, by its name on the wire; `nil`: none is wanted.
    package var numberMatching: String?
    /// The numbers to choose from.
    package var numberOptions: [Int]?

    package init() {}

    package static let shape = Shape(
      Content.init(_:_:_:_:_:_:),
      .optional("title", \.title, "what it is about"),
      .optional("body", \.body, as: .text(maximum: 1600), "the question"),
      .optional("clientContext", \.clientContext, "what the relying party added"),
      .optional("applicationContext", \.applicationContext, "what the application added"),
      .optional("category", \.category, "which buttons belong to it"),
      .optional("numberMatching", \.wireNumberMatching, "how the number is given that the sign-on shows")
    )

    private var wireNumberMatching: NumberMatching? {
      numberMatching.map { NumberMatching(type: $0, options: numberOptions) }
    }

    private init(
      _ title: String?,
      _ body: String?,
      _ clientContext: JSON?,
      _ applicationContext: JSON?,
      _ category: String?,
      _ matching: NumberMatching?
    ) {
      (self.title, self.body, self.category) = (title, body, category)
      (self.clientContext, self.applicationContext) = (clientContext, applicationContext)
      (numberMatching, numberOptions) = (matching?.type, matching?.options)
    }
  }

  fileprivate struct NumberMatching: ControlObject {
    let type: String
    let options: [Int]?

    static let shape = Shape(
      NumberMatching.init(type:options:),
      .required(
        "type",
        \.type,
        as: .choice(["SELECT_NUMBER", "ENTER_MANUALLY"]),
        "whether it is one of the options or typed"
      ),
      .optional("options", \.options, as: .array(.integer(MatchedNumber.range)), "the numbers to choose from")
    )
  }
}
