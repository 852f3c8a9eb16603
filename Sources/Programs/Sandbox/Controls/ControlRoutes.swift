import EventLoop
import HTTPServer
import JSON

/// `/sandbox/…`: controls for tests, which the real platform does not have.
@EventLoop
enum ControlRoutes {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/sandbox/clock", clock), .administrator("POST", "/sandbox/clock", moveClock),
    .administrator("GET", "/sandbox/faults", faults), .administrator("POST", "/sandbox/faults", addFault),
    .administrator("DELETE", "/sandbox/faults", forgetFaults),
  ]

  static let base = "/sandbox/"

  private static let decade = 10 * 366 * 24 * 3600
  private static let advances = 0...decade
  private static let leads = -decade...decade

  private static func clock(_ call: Call) -> HTTPResponse {
    .json(200, ["lead": .int(call.tenant.clock.lead), "skew": .int(call.tenant.clock.skew)])
  }

  /// Moves the clock forward by `advance`, or sets its lead over the real clock with `lead`, both in seconds.
  private static func moveClock(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let body = try call.body()
    let skew = try body.int("skew", in: -86_400...86_400) ?? call.tenant.clock.skew
    let lead = try body.int("lead", in: leads) ?? call.tenant.clock.lead
    let seconds = try body.int("advance", in: advances) ?? 0
    guard leads.contains(lead + seconds) else { throw .invalid("advance", "would move the clock too far") }
    (call.tenant.clock.lead, call.tenant.clock.skew) = (lead + seconds, skew)
    return clock(call)
  }

  private static func faults(_ call: Call) -> HTTPResponse {
    .json(["faults": call.tenant.faults.all.map(\.json)])
  }

  private static func forgetFaults(_ call: Call) -> HTTPResponse {
    call.tenant.faults = FaultList()
    return .noContent
  }

  private static func addFault(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let body = try call.body()
    let path = try body.requiredText("path")
    // Reject a fault that would never occur.
    guard path.hasPrefix("/"), !Dispatcher.isExempt("\(path)/") else {
      throw .invalid("path", "must begin with / and not lead to the sandbox's own controls and console")
    }
    let method = try body.text("method")
    guard method.map(FaultList.methods.contains) ?? true else {
      throw .invalid("method", "must be one of \(FaultList.methods.joined(separator: ", "))")
    }
    let effect = try effect(in: body)
    let count = try body.int("count", in: 1...10_000) ?? 1
    guard !call.tenant.faults.isFull else {
      throw .invalidRequest("There are \(FaultList.maximumCount) faults already.")
    }
    call.tenant.faults.add(path: path, method: method, effect: effect, count: count)
    return .json(201, ["path": .string(path), "count": .int(count)])
  }

  private static func effect(in body: Members) throws(ErrorResponse) -> FaultList.Effect {
    if let status = try body.int("status", in: 400...599) { return .status(status) }
    if let delay = try body.int("delayMs", in: 0...120_000) { return .delay(milliseconds: delay) }
    if try body.bool("dropConnection") ?? false { return .dropConnection }
    if try body.bool("loseReply") ?? false { return .loseReply }
    switch body.object["garbage"] {
    case nil:
      throw .invalid(
        "status",
        "or delayMs, dropConnection, loseReply or garbage must be given",
        code: "REQUIRED_VALUE"
      )
    case .bool(true), .string("body"): return .garbageBody
    case .string("connection"): return .garbageBytes
    default: throw .invalid("garbage", "must be true, body or connection")
    }
  }
}

/// Faults for the next requests, to test their clients.
struct FaultList {
  enum Effect: Sendable {
    /// Responds with this status and the platform's body of a server error.
    case status(Int)
    case delay(milliseconds: Int)
    case dropConnection
    /// Executes the request and closes the connection without a response.
    case loseReply
    /// Responds with status 200 and a meaningless body.
    case garbageBody
    /// Responds with bytes that are not HTTP.
    case garbageBytes

    /// Name and value of the effect in a control request.
    var member: (name: String, value: JSON) {
      switch self {
      case .status(let status): ("status", .int(status))
      case .delay(let milliseconds): ("delayMs", .int(milliseconds))
      case .dropConnection: ("dropConnection", true)
      case .loseReply: ("loseReply", true)
      case .garbageBody: ("garbage", "body")
      case .garbageBytes: ("garbage", "connection")
      }
    }
  }

  struct Fault {
    let path: String
    /// Affected method, `nil` for all methods.
    let method: String?
    let effect: Effect
    fileprivate(set) var count: Int

    var json: JSON {
      .of(["path": path, "method": method, "count": count], adding: JSONObject([effect.member]))
    }
  }

  /// Methods of the platform's routes.
  static let methods = ["DELETE", "GET", "PATCH", "POST", "PUT"]

  private var faults: [Fault] = []

  var all: [Fault] { faults }

  static let maximumCount = 100

  var isFull: Bool { faults.count >= Self.maximumCount }

  mutating func add(path: String, method: String?, effect: Effect, count: Int) {
    faults.append(Fault(path: path, method: method, effect: effect, count: count))
  }

  mutating func next(for path: Substring, _ method: String) -> Effect? {
    let index = faults.firstIndex { path.hasPrefix($0.path) && $0.method ?? method == method }
    guard let index else { return nil }
    faults[index].count -= 1
    let effect = faults[index].effect
    if faults[index].count == 0 { faults.remove(at: index) }
    return effect
  }
}
