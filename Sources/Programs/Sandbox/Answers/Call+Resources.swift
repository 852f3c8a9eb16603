import EventLoop
import HTTPServer
import JSON

// What the routes of all resources share.
extension Call {
  private static let limits = 1...1000
  private static let standardLimit = 100

  /// The thing whose identifier is in the path under that name.
  func thing<Thing: Stored>(_ name: String, on shelf: Shelf<Thing>) throws(PingOneError) -> Thing {
    guard let thing = shelf[id(name, of: Thing.self)] else { throw .notFound }
    return thing
  }

  /// The thing whose identifier is in the path under that name.
  func thing<Thing: Stored>(_ name: String, on shelf: StandardShelf<Thing>) throws(PingOneError) -> Thing {
    guard let thing = shelf[id(name, of: Thing.self)] else { throw .notFound }
    return thing
  }

  /// A list of things as HAL has it, as long as the query says.
  func page<Thing>(
    _ name: String,
    at address: String,
    of things: [Thing],
    links: [(String, String)] = [],
    more: JSONObject = [:],
    json: @EventLoop (Thing) -> JSON
  ) throws(PingOneError) -> HTTPResponse {
    let page = things.prefix(try limit())
    var body: JSONObject = [
      "_links": .links([("self", address)] + links),
      "_embedded": .object(JSONObject([(name, .array(page.map { json($0) }))])),
      "count": .int(things.count), "size": .int(page.count),
    ]
    for member in more.members { body[member.name] = member.value }
    return .json(200, .object(body))
  }

  private func limit() throws(PingOneError) -> Int {
    guard let text = query("limit") else { return Self.standardLimit }
    guard let limit = Int(text), Self.limits.contains(limit) else {
      throw .invalid(
        "limit",
        "must be an integer from \(Self.limits.lowerBound) to \(Self.limits.upperBound)",
        innerError: .range(Self.limits)
      )
    }
    return limit
  }

  /// The user whose identifier is in the path.
  func user() throws(PingOneError) -> User { try thing("user", on: tenant.users) }
}

extension Members {
  /// The policy that the member `policy` names; `nil` if it names none.
  @EventLoop
  func policy(of tenant: Tenant) throws(PingOneError) -> Policy? {
    guard let id = try reference("policy", to: Policy.self) else { return nil }
    guard let policy = tenant.policies[id] else {
      throw invalid("policy.id", "is not a policy of this environment")
    }
    return policy
  }

  /// The application that the member `application` names; `nil` if it names none.
  @EventLoop
  func application(of tenant: Tenant) throws(PingOneError) -> Application? {
    guard let id = try reference("application", to: Application.self) else { return nil }
    guard let application = tenant.applications[id] else {
      throw invalid("application.id", "is not an application of this environment")
    }
    return application
  }

  private static let maximumContext = 8 * 1024

  /// An object that an application hands to the device, whatever it means to them.
  func context(_ name: String) throws(PingOneError) -> JSON? {
    try members(name, maximum: Self.maximumContext).map { .object($0.object) }
  }
}
