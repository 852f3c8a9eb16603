internal import ControlAPI
internal import JSON
internal import JSONRPC

/// A step of a journey: its callbacks, and the JSON object in which the answers are returned.
struct JourneyStep: Sendable {
  /// The object as received; the server requires all of it back.
  private let object: JSONObject
  private let callbacks: [Callback]
  private var forms: [CallbackForm]
  /// The condition to wait for.
  let wait: CallbackForm.Wait?
  /// The URI that enrols this machine, until it is used.
  var enrolment: String?

  private static let mostCallbacks = 64

  init(_ document: JSON, _ context: JourneyContext) throws(SignOnFailure) {
    guard let object = document.object, object["authId"]?.string?.isEmpty == false,
      let elements = object["callbacks"]?.array
    else { throw .malformed }
    guard elements.count <= Self.mostCallbacks else { throw .tooLarge }
    var context = context
    let metadata = elements.filter { $0["type"] == "MetadataCallback" }
    context.outcomes = MetadataOutcome.all(of: metadata.compactMap { Self.data(of: $0) })
    var callbacks: [Callback] = []
    var forms: [CallbackForm] = []
    var (fields, options) = (0, 0)
    for (index, element) in elements.enumerated() {
      let callback = try Callback(element, at: index, context)
      callbacks.append(callback)
      let form = try CallbackTable.form(of: callback)
      fields += form.fields.count
      options += form.fields.reduce(0) { $0 + $1.collector.options.count }
      guard fields <= SignOnPage.maximumFields, options <= SignOnPage.maximumOptions else { throw .tooLarge }
      // A step supports only one key request; mfad reports a second one as unsupported.
      let isSecond = form.keyRequest != nil && forms.contains { $0.keyRequest != nil }
      forms.append(isSecond ? CallbackForm.unsupported(callback) : form)
    }
    // A wait for an address takes precedence over any other wait.
    let waits = forms.compactMap(\.wait)
    wait = waits.first { if case .address = $0 { true } else { false } } ?? waits.first
    enrolment = forms.lazy.compactMap(\.enrolment).first
    (self.object, self.callbacks) = (object, callbacks)
    self.forms = Self.distinct(forms, callbacks, waits: wait != nil)
  }

  private static func data(of callback: JSON) -> JSON? {
    callback["output"]?.array?.first { $0["name"] == "data" }?["value"]
  }

  /// Returns the forms with a unique key for each field.
  ///
  /// While a step waits, choices have no default, so that only the user's choice is sent.
  private static func distinct(_ forms: [CallbackForm], _ callbacks: [Callback], waits: Bool)
    -> [CallbackForm]
  {
    var keys: Set<String> = []
    return zip(forms, callbacks).map { form, callback in
      var form = form
      form.fields = form.fields.map { field in
        var field = field
        if !keys.insert(field.collector.key).inserted {
          field.collector = field.collector.renamed(Self.free(callback.placeKey, keys))
          keys.insert(field.collector.key)
        }
        if waits, !field.collector.options.isEmpty {
          (field.standing, field.collector.value, field.collector.isRequired) = (nil, nil, false)
        }
        return field
      }
      return form
    }
  }

  private static func free(_ name: String, _ keys: Set<String>) -> String {
    var free = name
    while keys.contains(free) { free += "+" }
    return free
  }
}

// MARK: Reply

extension JourneyStep {
  /// Result of the input to a step.
  enum Reply: Sendable {
    case body(JSON)
    /// Required fields without a value: messages by field key.
    case missing([String: String])
  }

  /// Returns the reply with the user's values; fields without a value keep the default.
  func reply(_ values: JSONObject) throws(RPCError) -> Reply {
    var open = Set(values.names)
    var missing: [String: String] = [:]
    var body: [JSON] = []
    for (callback, form) in zip(callbacks, forms) where form.isReturned {
      var filled = form.prefilled
      for field in form.fields {
        let key = field.collector.key
        let given = values[key]
        open.remove(key)
        guard let place = field.input else {
          if given != nil { throw .invalidParameter("values") }
          continue
        }
        if let given {
          guard let value = field.form.wire(given) else { throw .invalidParameter("values") }
          filled[place] = value
        } else if let standing = field.standing {
          filled[place] = standing
        }
        if field.collector.isRequired, Self.isEmpty(filled[place] ?? callback.inputs[place].value, field) {
          missing[key] = "an answer is needed"
        }
      }
      body.append(callback.filled(filled))
    }
    guard open.isEmpty else { throw .invalidParameter("values") }
    guard missing.isEmpty else { return .missing(missing) }
    var object = object
    object["callbacks"] = .array(body)
    return .body(.object(object))
  }

  private static func isEmpty(_ value: JSON, _ field: CallbackForm.Field) -> Bool {
    // A value that the field does not permit, such as an unknown option number, counts as no answer.
    value.isNull || value == "" || field.form.wire(value) == nil
  }
}

extension Collector {
  /// Returns a copy with another key.
  fileprivate func renamed(_ key: String) -> Collector {
    var collector = Collector(key: key, type: type, label: label)
    (collector.isRequired, collector.isSecret, collector.options) = (isRequired, isSecret, options)
    (collector.value, collector.validation, collector.message) = (value, validation, message)
    collector.raw = raw
    return collector
  }
}

extension JourneyStep {
  /// Returns the page for users; the language selects the text of the submit button, if there are several.
  func page(_ language: String?) -> SignOnPage {
    var page = SignOnPage()
    page.title = object["header"]?.string.map { Callback.line($0, maximum: 200) }
    page.description = object["description"]?.string.map { Callback.line($0) }
    let stage = object["stage"]?.string
    page.stage = stage.map { Callback.line($0, maximum: 2000) }
    page.collectors = forms.flatMap(\.fields).map(\.collector)
    switch wait {
    case .address(let browser): page.browserURL = browser
    case .time: break
    case nil where keyRequest != nil: break
    case nil:
      let label = stage.flatMap { Self.buttonText(stage: $0, language: language) } ?? "Next"
      page.actions = [SignOnPage.Action(key: Self.submit, label: label, kind: .submit)]
    }
    if enrolment != nil {
      page.actions.append(SignOnPage.Action(key: Self.enrol, label: "Enrol this machine", kind: .flow))
    }
    page.actions += keyRequest?.decisions.map(\.action) ?? []
    return page
  }

  /// Returns the page with messages for missing fields.
  func page(_ language: String?, missing: [String: String]) -> SignOnPage {
    var page = page(language)
    for index in page.collectors.indices {
      guard let message = missing[page.collectors[index].key] else { continue }
      page.collectors[index].message = message
    }
    return page
  }

  /// The action that submits the input.
  static let submit = "submit"

  /// The action that enrols this machine and then shows the same step again.
  static let enrol = "enrol"

  /// Returns the button text of a stage, which can be JSON with the text in several languages.
  private static func buttonText(stage: String, language: String?) -> String? {
    guard let text = (try? JSON(parsing: stage))?["submitButtonText"] else { return nil }
    let languages = [language, language.map { String($0.prefix { $0 != "-" && $0 != "_" }) }, "en"]
    let choice =
      text.string ?? languages.lazy.compactMap { $0.flatMap { text[$0]?.string } }.first
      ?? text.object?.members.first?.value.string
    return choice.flatMap { $0.isEmpty ? nil : Callback.line($0, maximum: 100) }
  }
}

extension JourneyStep {
  /// The step's request for a key of this machine.
  var keyRequest: KeyRequest? { forms.lazy.compactMap(\.keyRequest).first }

  /// Returns the step with answers to its key request; the keys of `values` are suffixes of input names.
  func answeringKeyRequest(_ values: [String: String]) -> JourneyStep {
    guard let index = forms.firstIndex(where: { $0.keyRequest != nil }) else { return self }
    var step = self
    for (suffix, value) in values {
      guard let place = callbacks[index].input(endingWith: suffix) else { continue }
      step.forms[index].prefilled[place] = .string(value)
    }
    return step
  }
}
