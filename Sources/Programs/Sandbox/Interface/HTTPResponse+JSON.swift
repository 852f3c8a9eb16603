import HTTPServer
import JSON

extension HTTPResponse {
  static func json(_ status: Int, _ value: JSON) -> HTTPResponse {
    json(status, status >= 400 ? "application/json" : "application/hal+json", value)
  }

  static func json(_ members: KeyValuePairs<String, (any Shown)?>) -> HTTPResponse { json(200, .of(members)) }

  /// What is no HAL resource, as all at the OIDC endpoints.
  static func plain(_ status: Int, _ value: JSON) -> HTTPResponse { json(status, "application/json", value) }

  static func plain(_ members: KeyValuePairs<String, (any Shown)?>, adding more: JSONObject = [:])
    -> HTTPResponse
  { plain(200, .of(members, adding: more)) }

  private static func json(_ status: Int, _ type: String, _ value: JSON) -> HTTPResponse {
    content(type, value.serialized, status: status).with("Cache-Control", "no-store")
  }

  static func content(_ type: String, _ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: HTTPHeaders([("Content-Type", type)]), body: body)
  }

  /// The response with one more header field.
  func with(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    response.headers.add(name, value)
    return response
  }

  static let noContent = HTTPResponse(status: 204)
}
