internal import JSON

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
