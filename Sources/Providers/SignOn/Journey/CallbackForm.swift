internal import ControlAPI
internal import JSON
internal import Text

/// How a callback is put to a person, and what its inputs are answered with.
struct CallbackForm: Sendable {
  /// One thing that it asks or shows.
  struct Field: Sendable {
    var collector: Collector
    /// The place of the input that a value is written to; `nil` for what is only shown.
    var input: Int?
    /// What a value looks like.
    var form = InputForm.anything
    /// What is sent without a value; `nil`: what the input holds.
    var standing: JSON?
  }

  /// What has to happen elsewhere before the step goes on.
  enum Wait: Sendable, Equatable {
    /// The server is to be asked again after a while.
    case time(Duration)
    /// A person has to bring an address: from an e-mail, or from the browser that was sent to one.
    case address(browser: String?)
  }

  /// What it asks and shows.
  var fields: [Field] = []
  /// What inputs are answered with that nobody is asked for, by their places.
  var prefilled: [Int: JSON] = [:]
  /// What it waits for.
  var wait: Wait?
  /// The URI that enrols this machine at the server, if it offers one.
  var enrolment: String?
  /// What it wants a key of this machine for.
  var keyRequest: KeyRequest?
  /// Whether the server takes it back; it does not take scripts.
  var isReturned = true
}

extension Callback {
  /// A field of this callback for an input, named after that as far as a name can be.
  func field(
    _ label: String?,
    input: Int? = nil,
    form: InputForm = .anything
  ) -> CallbackForm.Field {
    let type = type.isEmpty ? "UnknownCallback" : Self.line(self.type, maximum: Self.longestName)
    let collector = Collector(key: key(of: input), type: type, label: label)
    return CallbackForm.Field(collector: collector, input: input, form: form)
  }

  /// A field that asks: its value goes to the callback's main input, if there is one.
  func question(_ label: String?, form: InputForm) -> CallbackForm.Field {
    field(label, input: mainInput, form: form)
  }

  /// A form with nothing but something to show.
  func notice(_ label: String?, _ value: JSON? = nil) -> CallbackForm.Field {
    var field = field(label)
    field.collector.value = value
    return field
  }

  /// The name of a callback that has no inputs, or whose names cannot be used.
  var placeKey: String { "callback\(index)" }

  private func key(of input: Int?) -> String {
    guard let place = input ?? mainInput, let name = inputs[place].name, !name.isEmpty,
      name.utf8.count <= Self.longestName, DisplayText.clean(name).hasSameBytes(as: name)
    else { return placeKey }
    return name
  }

  private static let longestName = 64
}

/// The form of an input: which values a caller may give, and what the server is sent for them.
struct InputForm: Sendable {
  /// What is sent for a value; `nil` for one of another form.
  let wire: @Sendable (JSON) -> JSON?

  static let text = InputForm { $0.string.map { .string($0) } }

  /// Yes or no, also as text.
  static let truth = InputForm { value in
    if let flag = value.bool { return .bool(flag) }
    return ["true": .bool(true), "false": .bool(false)][value.string ?? ""]
  }

  /// A number, also as text.
  static let number = InputForm { value in
    let number = value.string.flatMap { try? JSON(parsing: $0) } ?? value
    guard case .number = number, number.double?.isFinite == true else { return nil }
    return number
  }

  /// A text that the server reads as JSON; objects become one.
  static let document = InputForm { value in
    if value.string != nil { return value }
    return value.object.map { .string(JSON.object($0).text) }
  }

  static let anything = InputForm { $0 }

  /// One of these numbers, also as text; without any known ones, all that could count something.
  static func number(of allowed: [Int]) -> InputForm {
    InputForm { value in
      guard let number = value.int ?? value.string.flatMap({ Int($0) }) else { return nil }
      return (allowed.isEmpty ? number >= 0 : allowed.contains(number)) ? .int(number) : nil
    }
  }

  /// One of these texts.
  static func text(of allowed: [String]) -> InputForm {
    InputForm { value in
      value.string.flatMap { text in allowed.contains { $0.hasSameBytes(as: text) } ? value : nil }
    }
  }
}
