internal import JSON

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
