internal import ControlAPI
internal import ControlClient
internal import JSON

/// Answers from the command line and from a file.
struct GivenAnswers {
  /// Answers in text form, by the key or the label of a field.
  private var texts: [String: String]
  private var values: JSONObject
  private var username: String?

  init(texts: [String: String], values: JSONObject, username: String?) {
    self.texts = texts
    self.values = values
    self.username = username
  }

  /// Returns the answers to a step.
  ///
  /// Answers to a journey are used once, because its later steps have the same keys.
  mutating func take(for step: DialogueStep) throws(Failure) -> JSONObject {
    var values: JSONObject = [:]
    for field in step.fields where !field.key.isEmpty { values[field.key] = try value(for: field) }
    if step.node.method == .journey { forget(step.questions) }
    return values
  }

  /// Returns the answer to a field.
  ///
  /// A field without a question gets an answer only by its key.
  private func value(for field: FormField) throws(Failure) -> JSON? {
    let asks = field.prompt.ask != nil
    let names = asks ? [field.key, field.label.text] : [field.key]
    if let name = names.first(where: { texts[$0] != nil }), let text = texts[name] {
      guard !field.isSecret else {
        throw .local(
          .usage,
          "\"\(name)\" is a secret, which must not be on the command line",
          hint: "type it on the terminal, or give it with --answers or on standard input"
        )
      }
      return try value(text, of: field)
    }
    if let value = names.lazy.compactMap({ values[$0] }).first {
      guard let text = value.string else { return value }
      return field.isSecret ? value : try self.value(text, of: field)
    }
    guard let username, asks, field.isUserName else { return nil }
    return .string(username)
  }

  private mutating func forget(_ fields: [FormField]) {
    for field in fields {
      for name in [field.key, field.label.text] {
        texts[name] = nil
        values[name] = nil
      }
      if field.isUserName { username = nil }
    }
  }

  private func value(_ text: String, of field: FormField) throws(Failure) -> JSON {
    if let value = field.prompt.value(field, text) { return value }
    let allowed = Columns.numbered(field.options.map(\.label), after: "")
    throw .local(.usage, "\"\(text)\" is not a valid answer to \"\(field.key)\"", list: allowed)
  }
}

extension FormField {
  fileprivate var isUserName: Bool {
    key == "username" || key == "user.username" || type == "NameCallback"
      || type == "ValidatedCreateUsernameCallback"
  }
}

/// A file of answers by key or label: an object, or `{"values":{…}}` as in a line of standard input.
enum AnswerFile {
  static func values(at path: String) throws(Failure) -> JSONObject {
    let file = try InputFile(path, isPrivate: true)
    let object: JSONObject
    do {
      guard let read = try JSON(parsing: file.bytes).object else {
        throw wrong("\(path) is not a JSON object of answers")
      }
      object = read
    } catch let failure as Failure {
      throw failure
    } catch {
      throw wrong("\(path) is not JSON")
    }
    // An answer to a field with the key `values` is not an object, so it is not taken for a line.
    guard let line = try? AnswerLine(reading: .object(object)), !line.values.isEmpty else { return object }
    let values = line.values
    if let other = object.names.first(where: { object[$0]?.object != values }) {
      throw wrong("\(path) has \"\(other)\" beside \"values\"")
    }
    return values
  }

  private static func wrong(_ message: SafeText) -> Failure {
    .local(
      .usage,
      message,
      hint: #"it must contain {"KEY":"VALUE"} or {"values":{"KEY":"VALUE"}}, by keys or labels"#
    )
  }
}
