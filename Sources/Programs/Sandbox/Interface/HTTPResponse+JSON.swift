import HTTPServer
import JSON
import Time

extension HTTPResponse {
  private static let hal = "application/hal+json"

  static func json(_ status: Int, _ value: JSON) -> HTTPResponse {
    json(status, status >= 400 ? "application/json" : hal, value)
  }

  static func json(_ members: KeyValuePairs<String, (any Shown)?>) -> HTTPResponse { json(200, .of(members)) }

  /// Returns a JSON response that is not a HAL resource, like all responses of the OIDC endpoints.
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

  /// Returns the response in an accepted media type.
  ///
  /// Without HAL in `accept`, a resource is plain JSON, RFC 9110 section 12.5.1.
  func accepted(by accept: String?) -> HTTPResponse {
    let types = (accept ?? "*/*").lowercased().split(separator: ",").map { type in
      type.prefix { $0 != ";" }.filter { $0 != " " }
    }
    guard headers.mediaType == Self.hal, types.contains("application/json"), !types.contains(Self.hal) else {
      return self
    }
    let others = headers.fields.filter { $0.name != "Content-Type" }.map { ($0.name, $0.value) }
    return HTTPResponse(
      status: status,
      headers: HTTPHeaders([("Content-Type", "application/json")] + others),
      body: body
    )
  }

  /// Returns the response with an additional header field.
  func with(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    response.headers.add(name, value)
    return response
  }

  static let noContent = HTTPResponse(status: 204)
}

extension Timestamp {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The time as an HTTP date, RFC 9110 section 5.6.7.
  var httpDate: String {
    // 1 January 1970 was a Thursday.
    let weekday = Self.weekdays[seconds / 86_400 % 7]
    let parts = text.split { "-TZ".contains($0) }
    let month = Self.months[(Int(parts[1]) ?? 1) - 1]
    return "\(weekday), \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT"
  }
}
