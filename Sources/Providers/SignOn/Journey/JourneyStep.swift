internal import ControlAPI
internal import JSON
internal import JSONRPC

/// A step of a journey: the callbacks that wait for input, in the object that has to come back with them.
struct JourneyStep: Sendable {
  /// Everything that came; the server wants to have all of it back.
  let object: JSONObject
  let callbacks: [Callback]
  var forms: [CallbackForm]
  /// What it waits for.
  let wait: CallbackForm.Wait?
  /// The URI that enrols this machine, until it was used.
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
    var fields = 0
    for (index, element) in elements.enumerated() {
      let callback = try Callback(element, at: index, context)
      callbacks.append(callback)
      let form = try CallbackTable.form(of: callback)
      fields += form.fields.count
      guard fields <= SignOnPage.maximumFields else { throw .tooLarge }
      // A person decides on one thing at a time; no server asks for more.
      let isSecond = form.keyRequest != nil && forms.contains { $0.keyRequest != nil }
      forms.append(isSecond ? CallbackForm.unsupported(callback) : form)
    }
    // Who has to bring an address ends every other wait.
    let waits = forms.compactMap(\.wait)
    wait = waits.first { if case .address = $0 { true } else { false } } ?? waits.first
    enrolment = forms.lazy.compactMap(\.enrolment).first
    (self.object, self.callbacks) = (object, callbacks)
    self.forms = Self.distinct(forms, callbacks, waits: wait != nil)
  }

  private static func data(of callback: JSON) -> JSON? {
    callback["output"]?.array?.first { $0["name"] == "data" }?["value"]
  }

  /// The forms with a key for each field.
  ///
  /// While a step waits, nothing is answered that nobody chose.
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

// MARK: What is sent

extension JourneyStep {
  /// What becomes of the input to a step.
  enum Reply: Sendable {
    case body(JSON)
    /// Some are missing: what to say beside the fields, by their keys.
    case missing([String: String])
  }

  /// The reply to the server for what a person gives; what nobody gives a value stands as it is.
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
    // A number that is no option means that none was chosen.
    value.isNull || value == "" || field.form.wire(value) == nil
  }
}

extension Collector {
  /// The same under another key.
  fileprivate func renamed(_ key: String) -> Collector {
    var collector = Collector(key: key, type: type, label: label)
    (collector.isRequired, collector.isSecret, collector.options) = (isRequired, isSecret, options)
    (collector.value, collector.validation, collector.message) = (value, validation, message)
    collector.raw = raw
    return collector
  }
}
