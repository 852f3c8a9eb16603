internal import ControlAPI
internal import JSON
internal import Text

/// The fields of a callback and the answers to its inputs.
struct CallbackForm: Sendable {
  /// One field to fill in or to read.
  struct Field: Sendable {
    var collector: Collector
    /// Index of the input that receives the value; `nil` if the field is only shown.
    var input: Int?
    /// The permitted values.
    var form = InputForm.anything
    /// The value that is sent by default; if it is `nil`, the input keeps the server's value.
    var standing: JSON?
  }

  /// A condition that must be met before the step continues.
  enum Wait: Sendable, Equatable {
    /// The client may send the step again after this time.
    case time(Duration)
    /// The user must supply an address: from an e-mail or, if `browser` is set, the final address of a
    /// browser.
    case address(browser: String?)
  }

  /// The fields to fill in and to read.
  var fields: [Field] = []
  /// Values for inputs without a field, by index of the input.
  var prefilled: [Int: JSON] = [:]
  /// The condition to wait for.
  var wait: Wait?
  /// The URI that enrols this machine at the server, if it offers one.
  var enrolment: String?
  /// The request for a key of this machine.
  var keyRequest: KeyRequest?
  /// True if the reply contains the callback; false for scripts, which servers reject in replies.
  var isReturned = true
}

extension Callback {
  /// Creates a field for an input; its key is the input's name or, if unusable, `placeKey`.
  func field(
    _ label: String?,
    input: Int? = nil,
    form: InputForm = .anything
  ) -> CallbackForm.Field {
    let type = type.isEmpty ? "UnknownCallback" : Self.line(self.type, maximum: Self.longestName)
    let collector = Collector(key: key(of: input), type: type, label: label)
    return CallbackForm.Field(collector: collector, input: input, form: form)
  }

  /// Creates a field for the callback's main input, if there is one.
  func question(_ label: String?, form: InputForm) -> CallbackForm.Field {
    field(label, input: mainInput, form: form)
  }

  /// Creates a field that is only shown.
  func notice(_ label: String?, _ value: JSON? = nil) -> CallbackForm.Field {
    var field = field(label)
    field.collector.value = value
    return field
  }

  /// The key for a callback without inputs or with unusable names.
  var placeKey: String { "callback\(index)" }

  private func key(of input: Int?) -> String {
    guard let place = input ?? mainInput, let name = inputs[place].name, !name.isEmpty,
      name.utf8.count <= Self.longestName, DisplayText.clean(name).hasSameBytes(as: name)
    else { return placeKey }
    return name
  }

  private static let longestName = 64
}

/// The form of an input: the permitted values and their encoding for the server.
struct InputForm: Sendable {
  /// Returns the encoding of a value; `nil` if the value is not permitted.
  let wire: @Sendable (JSON) -> JSON?

  static let text = InputForm { $0.string.map { .string($0) } }

  /// A boolean, or the text `true` or `false`.
  static let truth = InputForm { value in
    if let flag = value.bool { return .bool(flag) }
    return ["true": .bool(true), "false": .bool(false)][value.string ?? ""]
  }

  /// A finite number, or its text.
  static let number = InputForm { value in
    let number = value.string.flatMap { try? JSON(parsing: $0) } ?? value
    guard case .number = number, number.double?.isFinite == true else { return nil }
    return number
  }

  /// A text that the server parses as JSON; objects are converted to text.
  static let document = InputForm { value in
    if value.string != nil { return value }
    return value.object.map { .string(JSON.object($0).text) }
  }

  static let anything = InputForm { $0 }

  /// One of these integers, or its text; if `allowed` is empty, any integer that is not negative.
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
