internal import ControlAPI
internal import ControlClient
internal import JSON

/// A line of standard input that answers one step.
struct AnswerLine: ControlObject {
  let values: JSONObject
  let action: String?
  let address: String?

  static let shape = Shape(
    AnswerLine.init(values:action:address:),
    .optional("values", \.values, default: JSONObject(), "the inputs by the keys of the step's fields"),
    .optional("action", \.action, "how to go on"),
    .optional("uri", \.address, "the address that a browser ended at; nothing else stands beside it")
  )

  /// True if the line answers this waiting step; any other line is for a later step.
  func isMeant(for step: DialogueStep) -> Bool {
    if address != nil { return true }
    guard let action else { return !values.isEmpty && knows(step) }
    return step.actions.contains { $0.key == action } && knows(step)
  }

  private func knows(_ step: DialogueStep) -> Bool {
    values.names.allSatisfy { name in step.questions.contains { $0.key == name } }
  }

  /// Returns the input of the line; its values are added to `given` and replace equal names.
  func input(with given: JSONObject) -> DialogueInput {
    if let address { return .resume(address: address) }
    var merged = given
    for member in values.members { merged[member.name] = member.value }
    return .next(values: merged, action: action)
  }
}

extension AnswerLine {
  init(_ text: String) throws(Failure) {
    guard let json = try? JSON(parsing: text), let object = json.object else {
      throw Self.wrong("is not a JSON object")
    }
    let known = Self.shape.properties.map(\.name)
    if let name = object.names.first(where: { !known.contains($0) }) {
      throw Self.wrong("has the unknown member \"\(name)\"")
    }
    do { try self.init(reading: json) } catch { throw Self.wrong("has a member of the wrong type") }
    guard address == nil || (action == nil && values.isEmpty) else {
      throw Self.wrong("has other members beside \"uri\"")
    }
  }

  private static func wrong(_ problem: SafeText) -> Failure {
    .local(
      .usage,
      "a line of standard input \(problem)",
      hint: #"each line answers one step: {"values":{"KEY":"VALUE"},"action":"KEY"} or {"uri":"ADDRESS"}"#
    )
  }
}

enum DialogueInput {
  case next(values: JSONObject, action: String?)
  /// Continues with the address at which a browser ended, or an address from an e-mail.
  case resume(address: String)

  func call(_ login: String, _ presence: PresenceClaim?) -> any ControlMethod {
    switch self {
    case .next(let values, let action):
      LoginNext(login: login, values: values, action: action, presence: presence)
    case .resume(let address): LoginResume(login: login, address: address)
    }
  }
}
