import EventLoop
import HTTPServer
import JSON

/// A thing that the platform's interfaces show.
protocol Resource: Stored { @EventLoop func json(in tenant: Tenant) -> JSON }

extension Call {
  private static let limits = 1...1000

  func one<Thing: Stored>(_ name: String, of things: [Thing]) throws(Refusal) -> Thing {
    guard let thing = things.first(where: { $0.id.text == parameters[name] }) else { throw .notFound }
    return thing
  }

  func one<Thing: Stored>(_ name: String, in shelf: Shelf<Thing>) throws(Refusal) -> Thing {
    guard let thing = shelf[id(name, of: Thing.self)] else { throw .notFound }
    return thing
  }

  func user() throws(Refusal) -> User { try one("user", in: tenant.users) }

  func shown(_ resource: some Resource, _ status: Int = 200) -> HTTPResponse {
    .json(status, resource.json(in: tenant))
  }

  /// A list of resources as HAL has it, as long as the query says.
  func page(
    _ name: String,
    of things: [some Resource],
    links: JSONObject = [:],
    more: JSONObject = [:]
  ) throws(Refusal) -> HTTPResponse {
    let page = things.prefix(try limit()).map { $0.json(in: tenant) }
    let links: JSON = .links(["self": "\(tenant.url)\(request.path)"], adding: links)
    let body: KeyValuePairs<String, (any Shown)?> = [
      "_links": links, "_embedded": JSONObject([(name, .array(page))]), "count": things.count,
      "size": page.count,
    ]
    return .json(200, .of(body, adding: more))
  }

  private func limit() throws(Refusal) -> Int {
    guard let text = query("limit") else { return 100 }
    guard let limit = Int(text), Self.limits.contains(limit) else { throw .outOfRange("limit", Self.limits) }
    return limit
  }
}

extension Members {
  /// Whether a member names the one thing of its kind that there is; another is refused.
  func names<Thing>(_ name: String, _ id: ID<Thing>, _ kind: String) throws(Refusal) -> Bool {
    guard let named = try reference(name, to: Thing.self) else { return false }
    guard named == id else { throw invalid("\(name).id", "is not \(kind) of this environment") }
    return true
  }

  /// An object that an application hands to the device, whatever it means to them.
  func context(_ name: String) throws(Refusal) -> JSON? { try members(name, maximum: 8 * 1024)?.object.json }
}
