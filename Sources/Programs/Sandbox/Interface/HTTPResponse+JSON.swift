import HTTPServer
import JSON

extension HTTPResponse {
  static func json(_ status: Int, _ value: JSON) -> HTTPResponse {
    json(status, status >= 400 ? "application/json" : "application/hal+json", value)
  }

  static func json(_ members: KeyValuePairs<String, (any Shown)?>) -> HTTPResponse { json(200, .of(members)) }

  /// What is no HAL resource, as all at the OIDC endpoints.
  static func plain(_ status: Int, _ value: JSON) -> HTTPResponse { json(status, "application/json", value) }

  static func plain(_ members: KeyValuePairs<String, (any Shown)?>) -> HTTPResponse {
    plain(200, .of(members))
  }

  private static func json(_ status: Int, _ type: String, _ value: JSON) -> HTTPResponse {
    let headers = HTTPHeaders([("Content-Type", type), ("Cache-Control", "no-store")])
    return HTTPResponse(status: status, headers: headers, body: value.serialized)
  }

  static let noContent = HTTPResponse(status: 204)
}
