import EventLoop
import HTTPServer
import JSON

extension FlowPlay {
  static let capabilities = ["customForm", "customHTMLTemplate"]

  static func capability(isHTML: Bool) -> String { capabilities[isHTML ? 1 : 0] }

  /// The identifier of the flow's connection: the same for every play, and 32 digits as the platform's are.
  var connection: String {
    let sum = flow.id.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let text = String(sum, radix: 16)
    return String((text + text + String(repeating: "0", count: 32)).prefix(32))
  }

  private var connectionURL: String { "\(tenant.authenticationURL)/davinci/connections/\(connection)" }

  /// The links of a page; those that its file gives stand in the place of the true ones.
  func daVinciLinks(isHTML: Bool, _ given: JSONObject) -> JSONObject {
    let capability = "\(connectionURL)/capabilities/\(Self.capability(isHTML: isHTML))"
    var links: JSONObject = [
      "next": ["href": .string(capability)], "self": ["href": .string(capability)],
      "continue": ["href": .string("\(connectionURL)/continue")],
    ]
    for link in given.members { links[link.name] = ["href": link.value] }
    return links
  }

  /// Where the browser goes for a button that leads to an identity provider.
  func identityProviderURL(button: String) -> String {
    "\(tenant.authenticationURL)/davinci/idp/\(id.text)/\(button)"
  }

  /// An error that leaves the page as it is.
  func daVinciError(
    _ status: Int,
    code: String,
    message: String,
    connector: String = "errorConnector",
    capability: String = "customErrorMessage",
    more: JSONObject = [:]
  ) -> HTTPResponse {
    var body: JSONObject = [
      "interactionId": .id(id), "companyId": .id(tenant.environment.id), "connectionId": .string(connection),
      "connectorId": .string(connector), "id": .string(turn.node), "capabilityName": .string(capability),
      "errorCategory": "InvalidData", "code": .string(code), "cause": .null, "expected": true,
      "message": .string(message), "httpResponseCode": .int(status), "details": [],
      "isResponseCompatibleWithMobileAndWebSdks": true,
    ]
    for member in more.members { body[member.name] = member.value }
    return .plain(status, .object(body))
  }

  /// The interaction cannot go on.
  static func daVinciEnd(_ status: Int, code: JSON, message: String, _ interaction: String?) -> HTTPResponse {
    .plain(
      status,
      .present([
        ("interactionId", interaction.map { .string($0) }), ("code", code), ("message", .string(message)),
      ])
    )
  }
}

extension HTTPResponse {
  /// The answer with the cookies by which the interaction is known.
  @EventLoop
  func with(interactionOf play: FlowPlay) -> HTTPResponse {
    var response = self
    let environment = play.tenant.environment.id.text
    for (name, value) in [
      ("interactionId", play.id.text), ("interactionToken", play.turn.token),
      ("skProxyApiEnvironmentId", environment),
    ] {
      response.headers.add("Set-Cookie", "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax")
    }
    return response
  }
}
