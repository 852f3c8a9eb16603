import HTTPServer
import JSON
import Time

extension JSON {
  /// An object of those members that have a value.
  static func present(_ members: [(String, JSON?)]) -> JSON {
    .object(JSONObject(members.compactMap { name, value in value.map { (name, $0) } }))
  }

  static func texts(_ members: [(String, String)]) -> JSON {
    .object(JSONObject(members.map { ($0.0, .string($0.1)) }))
  }

  static func id<Kind>(_ id: ID<Kind>) -> JSON { .string(id.text) }

  static func choice(_ value: some RawRepresentable<String>) -> JSON { .string(value.rawValue) }

  static func time(_ instant: Timestamp) -> JSON { .string(instant.text) }

  /// A reference to a resource: `{"id": …}`.
  static func reference<Kind>(_ id: ID<Kind>) -> JSON { ["id": .id(id)] }

  static func links(_ links: [(String, String)]) -> JSON {
    .object(JSONObject(links.map { ($0.0, ["href": .string($0.1)]) }))
  }
}

extension HTTPResponse {
  static func json(_ status: Int, _ value: JSON) -> HTTPResponse {
    let headers = HTTPHeaders([
      ("Content-Type", status >= 400 ? "application/json" : "application/hal+json"),
      ("Cache-Control", "no-store"),
    ])
    return HTTPResponse(status: status, headers: headers, body: value.serialized)
  }

  static let noContent = HTTPResponse(status: 204)
}
