internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import Patterns

/// What a page is replied to with, as the server takes it.
struct DaVinciReply: Sendable, Equatable {
  /// What happened to the page.
  enum Event: String, Sendable {
    case submit, action, polling
  }

  let event: Event
  /// The key of what was pressed.
  var actionKey: String?
  /// The values by the keys of their fields; `nil` when not even an empty form is sent.
  var formData: JSONObject? = [:]

  /// The body of the request.
  func body(to page: DaVinciPage, interaction: String?) -> JSON {
    var data = JSONObject()
    data["actionKey"] = actionKey.map { .string($0) }
    data["formData"] = formData.map { .object($0) }
    var body = JSONObject()
    body["id"] = page.id.map { .string($0) }
    body["eventName"] = .string(page.eventName)
    body["interactionId"] = interaction.map { .string($0) }
    body["parameters"] = ["eventType": .string(event.rawValue), "data": .object(data)]
    return .object(body)
  }
}

extension DaVinciPage {
  /// The values of a form that is handed in: all that are needed, none that is wrong.
  func formData(_ values: JSONObject) throws -> JSONObject { try formData(values, isWhole: true) }

  /// The values of a form that is left by another way: what was filled in, as far as it is right.
  func partialFormData(_ values: JSONObject) throws -> JSONObject { try formData(values, isWhole: false) }

  /// Whether the caller gave only values that the page asks for.
  func check(_ values: JSONObject) throws {
    let keys = Set(inputFields.map(\.description.key))
    guard values.names.allSatisfy(keys.contains) else { throw RPCError.invalidParameter("values") }
  }

  private func formData(_ values: JSONObject, isWhole: Bool) throws -> JSONObject {
    try check(values)
    var data = JSONObject()
    var wrong: [(field: FieldDescription, InvalidInput)] = []
    var steps = Pattern.stepsOfPage
    for field in inputFields {
      let description = field.description
      do throws(InvalidInput) {
        let value = try (values[description.key] ?? field.standing).map(field.value) ?? nil
        if let pattern = field.pattern, let text = value?.string {
          try Self.check(text, pattern, description, &steps)
        }
        if isWhole, description.isRequired, let complaint = field.complaint(value) { throw complaint }
        data[description.key] = value
      } catch {
        if isWhole || values[description.key] != nil { wrong.append((description, error)) }
      }
    }
    guard wrong.isEmpty else { throw DaVinciProblem(wrong) }
    return data
  }

  /// Of a pattern that is not understood, or for which the page's steps do not do, the server has the word.
  private static func check(
    _ text: String,
    _ pattern: String,
    _ description: FieldDescription,
    _ steps: inout Int
  ) throws(InvalidInput) {
    guard steps > 0, let pattern = Pattern(pattern), pattern.isFound(in: text, steps: &steps) == false else {
      return
    }
    throw InvalidInput(description.validation?.message ?? "this has not the form that is asked for")
  }
}
