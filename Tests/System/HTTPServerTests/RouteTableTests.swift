import HTTPServer
import Testing

@Suite("Route table")
struct RouteTableTests {
  private let table = RouteTable([
    Route("GET", "/users/{user}", 1),
    Route("POST", "/users/{user}", mediaType: "application/one.Check+json", 2),
    Route("POST", "/users/{user}", mediaType: "application/two+json", 3),
    Route("DELETE", "/users/{user}/devices/{device}", 4),
  ])

  private func outcome(_ method: String, _ path: Substring, _ mediaType: String? = nil) -> String {
    switch table.match(method: method, path: path, mediaType: mediaType) {
    case .found(let endpoint, let parameters):
      "\(endpoint) \(parameters.sorted { $0.key < $1.key }.map(\.value))"
    case .methodNotAllowed(let methods): "allow \(methods)"
    case .unsupportedMediaType: "media"
    case .notFound: "none"
    }
  }

  @Test("method, path and media type select the endpoint")
  func choice() {
    #expect(outcome("GET", "/users/a.b-c_1") == #"1 ["a.b-c_1"]"#)
    #expect(outcome("POST", "/users/a", "application/two+json") == #"3 ["a"]"#)
    #expect(outcome("POST", "/users/a", "application/one.check+json") == #"2 ["a"]"#)
    #expect(outcome("DELETE", "/users/a/devices/b") == #"4 ["b", "a"]"#)
  }

  @Test("a mismatch reports method, media type or not found")
  func refusals() {
    #expect(outcome("PUT", "/users/a") == #"allow ["GET", "POST"]"#)
    #expect(outcome("POST", "/users/a", "text/plain") == "media")
    #expect(outcome("GET", "/users/") == "none")
    #expect(outcome("GET", "/users/a%2Fb") == "none")
    #expect(outcome("GET", "/users/\(String(repeating: "a", count: 65))") == "none")
    #expect(outcome("GET", "/users/a/") == "none")
  }
}
