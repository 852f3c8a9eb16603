import JSON

/// Faults that are to happen to the next requests, for tests of whoever sends these.
struct FaultList {
  enum Effect: Sendable {
    /// The response has this status and the platform's form of a server error.
    case status(Int)
    case delay(milliseconds: Int)
    case dropConnection
    /// What is asked is done, and the connection closed without a response.
    case loseReply
    /// The response is 200 with bytes that mean nothing.
    case garbageBody
    /// What comes is no HTTP.
    case garbageBytes

    /// As it is asked for.
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
    /// The method that it happens to; any if there is none.
    let method: String?
    let effect: Effect
    fileprivate(set) var count: Int

    var json: JSON {
      .of(["path": path, "method": method, "count": count], adding: JSONObject([effect.member]))
    }
  }

  /// Those that anything is asked by.
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
