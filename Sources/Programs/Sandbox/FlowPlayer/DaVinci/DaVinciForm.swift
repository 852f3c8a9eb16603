import HTTPServer
import JSON

/// The page that asks for something: a form of PingOne's forms connector, or of a custom HTML template.
enum DaVinciForm {
  private static let categories = ["CUSTOM_FORM", "CUSTOM_HTML"]

  static let kind = FlowPageKind("form") { members throws(FlowFileError) in
    let title = try members.optional("title")?.template()
    let description = try members.optional("description")?.template()
    let category = try members.optional("category")?.text(of: categories) ?? categories[0]
    let fields = try fields(try members.required("fields"))
    let defaults = try object(members.optional("defaults"))
    let more = try object(members.optional("more"))
    let links = try object(members.optional("links"))
    let compatible = try members.optional("compatible")?.bool() ?? true
    return { play in
      let isHTML = category == categories[1]
      var body: JSONObject = [
        "interactionId": .id(play.id), "interactionToken": .string(play.turn.token),
        "_links": .object(play.daVinciLinks(isHTML: isHTML, links.json(in: play).object ?? [:])),
        "eventName": "continue", "isResponseCompatibleWithMobileAndWebSdks": .bool(compatible),
        "id": .string(play.turn.node), "companyId": .id(play.tenant.environment.id),
        "flowId": .string(play.flow.id), "connectionId": .string(play.connection),
        "connectorId": isHTML ? "httpConnector" : "pingOneFormsConnector",
        "capabilityName": .string(FlowPlay.capability(isHTML: isHTML)),
        "formData": ["value": defaults.json(in: play)],
        "form": [
          "name": title?.json(in: play) ?? .string(play.page?.name ?? ""),
          "description": description?.json(in: play) ?? "", "category": .string(category),
          "components": ["fields": fields.json(in: play)],
        ],
      ]
      for member in more.json(in: play).object?.members ?? [] { body[member.name] = member.value }
      return HTTPResponse.plain(200, .object(body)).with(interactionOf: play)
    }
  }

  /// Fields as the server has them; each needs a type, and what can be answered a key.
  private static func fields(_ reader: FlowReader) throws(FlowFileError) -> FlowTemplate {
    for field in try reader.elements() {
      guard field.value["type"]?.string != nil else { throw field.failure("needs a type") }
    }
    return try reader.template()
  }

  private static func object(_ reader: FlowReader?) throws(FlowFileError) -> FlowTemplate {
    guard let reader else { return FlowTemplate(.object([:])) }
    _ = try reader.members()
    return try reader.template()
  }
}
