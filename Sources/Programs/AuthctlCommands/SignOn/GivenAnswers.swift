internal import ControlAPI
internal import ControlClient
internal import JSON

/// Answers that were given before anybody is asked: on the command line and in a file.
struct GivenAnswers {
  /// By the key of a field or by its label.
  private var texts: [String: String]
  private var values: JSONObject
  private var username: String?

  init(texts: [String: String], values: JSONObject, username: String?) {
    self.texts = texts
    self.values = values
    self.username = username
  }

  /// The answers to a step; those of a journey are used up, since the next step has the same keys.
  mutating func take(for step: DialogueStep) throws(Failure) -> JSONObject {
    var values: JSONObject = [:]
    for field in step.fields where !field.key.isEmpty { values[field.key] = try value(for: field) }
    if step.node.method == .journey { forget(step.questions) }
    return values
  }

  /// The answer to a field; what wants no answer gets one only by its key.
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

/// A file of answers by key or label: an object of them, or as a line of standard input has them,
/// `{"values":{…}}`.
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
    // A field may be called so too; its answer is no object of others.
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
