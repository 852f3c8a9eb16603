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

  func application() throws(Refusal) -> Application { try one("application", of: tenant.applications.all) }

  func policy() throws(Refusal) -> Policy { try one("policy", of: tenant.policies.all) }

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

extension [Route<Endpoint>] {
  /// The routes to a list of resources, and to each of them below it.
  static func collection<Thing: Resource>(
    _ pattern: String,
    _ one: String,
    _ things: @escaping @EventLoop @Sendable (Call) throws(Refusal) -> [Thing]
  ) -> [Element] {
    let name = pattern.split(separator: "/").last.map { String($0) } ?? ""
    return [
      .administrator("GET", pattern) { call throws(Refusal) in try call.page(name, of: try things(call)) },
      .administrator("GET", "\(pattern)/{\(one)}") { call throws(Refusal) in
        call.shown(try call.one(one, of: try things(call)))
      },
    ]
  }
}

extension Members {
  /// The thing of that shelf that a member names; `nil` if it names none.
  func reference<Thing>(_ name: String, in shelf: StandardShelf<Thing>, _ kind: String)
    throws(Refusal) -> Thing?
  {
    guard let id = try reference(name, to: Thing.self) else { return nil }
    guard let thing = shelf[id] else { throw invalid("\(name).id", "is not \(kind) of this environment") }
    return thing
  }

  /// An object that an application hands to the device, whatever it means to them.
  func context(_ name: String) throws(Refusal) -> JSON? { try members(name, maximum: 8 * 1024)?.object.json }
}
