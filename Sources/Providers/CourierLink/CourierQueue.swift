internal import CourierProtocol
internal import Glibc

/// Assigns the courier's slots to requests.
///
/// Requests with a higher urgency come first, users' decisions before all others. Among requests of the
/// same urgency, the owner that uses the fewest slots comes first. Polls get at most half of the slots.
struct CourierQueue {
  /// Slots reserved for decisions; while only these are free, each owner may have one decision in flight.
  static let reservedForDecisions = 8
  /// Slots that ordinary requests leave free for polls.
  static let reservedForPolls = 8
  /// Maximum number of slots for the decisions of one owner while other slots are free.
  static let mostDecisionsOfOneOwner = 4
  /// Maximum number of slots for polls.
  static let mostPolls = CourierLimits.maximumUnderWay / 2
  /// Maximum number of slots for the ordinary requests of one owner.
  static let mostOfOneOwner = 16
  /// Maximum number of waiting requests of the same owner and urgency; polls are not limited.
  static let mostWaiting = 64

  private struct Entry {
    let id: ExchangeID
    let priority: CourierRequest.Priority
  }

  private var waiting: [Entry] = []
  private var underWay: [ExchangeID: CourierRequest.Priority] = [:]
  private var polls = 0
  /// Number of slots in use, by owner and urgency.
  private var places: [CourierRequest.Priority: Int] = [:]

  /// Number of requests that wait or are in flight.
  var count: Int { waiting.count + underWay.count }

  /// Adds a request; returns false if too many requests of the same owner and urgency wait.
  mutating func add(_ id: ExchangeID, _ priority: CourierRequest.Priority) -> Bool {
    // Do not limit polls: only the daemon creates them.
    let isFull = priority.urgency != .poll && waiting.count { $0.priority == priority } >= Self.mostWaiting
    if !isFull { waiting.append(Entry(id: id, priority: priority)) }
    return !isFull
  }

  /// Returns the next request that may be sent and assigns a slot to it, or `nil`.
  mutating func takeNext() -> ExchangeID? {
    let next = waiting.indices.filter { mayGo(waiting[$0].priority) }.min { one, other in
      rank(waiting[one].priority) < rank(waiting[other].priority)
    }
    guard let next else { return nil }
    let entry = waiting.remove(at: next)
    underWay[entry.id] = entry.priority
    places[entry.priority, default: 0] += 1
    if entry.priority.urgency == .poll { polls += 1 }
    return entry.id
  }

  /// Removes a completed request, whether it waits or is in flight.
  mutating func remove(_ id: ExchangeID) {
    guard let priority = underWay.removeValue(forKey: id) else { return waiting.removeAll { $0.id == id } }
    let held = places[priority, default: 1] - 1
    places[priority] = held > 0 ? held : nil
    if priority.urgency == .poll { polls -= 1 }
  }

  private func mayGo(_ priority: CourierRequest.Priority) -> Bool {
    let free = CourierLimits.maximumUnderWay - underWay.count
    return switch priority.urgency {
    case .decision:
      free > 0
        && places[priority, default: 0]
          < (free > Self.reservedForDecisions ? Self.mostDecisionsOfOneOwner : 1)
    case .ordinary:
      free > Self.reservedForDecisions + max(0, Self.reservedForPolls - polls)
        && (priority.owner == nil || places[priority, default: 0] < Self.mostOfOneOwner)
    case .poll: free > Self.reservedForDecisions && polls < Self.mostPolls
    }
  }

  /// The sort key of a request; requests of the same rank are sent in the order of their arrival.
  private func rank(_ priority: CourierRequest.Priority) -> (Int, Int) {
    (priority.urgency.rawValue, places[priority, default: 0])
  }
}
