internal import ControlAPI
internal import JSON
internal import JSONRPC

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
    let keys = Set(inputFields.map(\.field.key))
    guard values.names.allSatisfy(keys.contains) else { throw RPCError.invalidParameter("values") }
  }

  private func formData(_ values: JSONObject, isWhole: Bool) throws -> JSONObject {
    try check(values)
    var data = JSONObject()
    var wrong: [(field: DaVinciField, InvalidInput)] = []
    for form in fields {
      guard let input = form.input else { continue }
      let field = form.field
      do throws(InvalidInput) {
        let value = try (values[field.key] ?? input.standing).map(input.value) ?? nil
        if isWhole, field.isRequired, let complaint = input.complaint(value) { throw complaint }
        data[field.key] = value
      } catch {
        if isWhole || values[field.key] != nil { wrong.append((field, error)) }
      }
    }
    guard wrong.isEmpty else { throw DaVinciProblem(wrong) }
    return data
  }
}
