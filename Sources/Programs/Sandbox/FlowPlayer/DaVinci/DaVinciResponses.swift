import EventLoop
import HTTPServer
import JSON

/// The part of a flow that an error comes from.
struct ErrorSource: Sendable {
  var connector = "errorConnector"
  var capability = "customErrorMessage"
}

// Common parts of DaVinci's responses.
extension FlowPlay {
  static let capabilities = ["customForm", "customHTMLTemplate"]

  static func capability(isHTML: Bool) -> String { capabilities[isHTML ? 1 : 0] }

  /// Identifier of the flow's connection.
  ///
  /// It is the same for every play of the flow, and has 32 digits like identifiers of the platform.
  var connection: String {
    let sum = flow.id.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let text = String(sum, radix: 16)
    return String((text + text + String(repeating: "0", count: 32)).prefix(32))
  }

  func daVinciLinks(isHTML: Bool, _ given: JSONObject) -> JSON {
    let base = "\(tenant.authenticationURL)/davinci/connections/\(connection)"
    let capability = "\(base)/capabilities/\(Self.capability(isHTML: isHTML))"
    return .links(["next": capability, "self": capability, "continue": "\(base)/continue"], adding: given)
  }

  func identityProviderURL(button: String) -> String {
    "\(tenant.authenticationURL)/davinci/idp/\(id.text)/\(button)"
  }

  func daVinciError(
    _ status: Int,
    code: String,
    message: String,
    by source: ErrorSource = ErrorSource(),
    more: JSONObject = [:]
  ) -> HTTPResponse {
    let body = JSON.of(
      [
        "interactionId": id, "companyId": tenant.environment.id, "connectionId": connection,
        "connectorId": source.connector, "id": turn.node, "capabilityName": source.capability,
        "errorCategory": "InvalidData", "code": code, "cause": JSON.null, "expected": true,
        "message": message,
        "httpResponseCode": status, "details": [JSON](), "isResponseCompatibleWithMobileAndWebSdks": true,
      ],
      adding: more
    )
    return .plain(status, body)
  }
}

// Reasons why an interaction cannot continue.
extension ErrorResponse {
  static func unauthorized(interaction: String?) -> ErrorResponse {
    ErrorResponse(interaction: interaction, 401, code: 1999, "Unauthorized!")
  }

  static func timedOut(interaction: String) -> ErrorResponse {
    ErrorResponse(
      interaction: interaction,
      400,
      code: "requestTimedOut",
      "Request timed out. Please try again."
    )
  }

  private init(interaction: String?, _ status: Int, code: JSON, _ message: String) {
    let form = JSON.of(["interactionId": interaction, "code": code, "message": message])
    self.init(status, "", message, form: form)
  }
}

extension HTTPResponse {
  /// Returns the response with the cookies that identify the interaction.
  @EventLoop
  func with(interactionOf play: FlowPlay) -> HTTPResponse {
    let cookies = [
      ("interactionId", play.id.text), ("interactionToken", play.turn.token),
      ("skProxyApiEnvironmentId", play.tenant.environment.id.text),
    ]
    return cookies.reduce(self) { response, cookie in
      response.with("Set-Cookie", "\(cookie.0)=\(cookie.1); Path=/; HttpOnly; SameSite=Lax")
    }
  }
}
