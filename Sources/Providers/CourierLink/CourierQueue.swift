internal import CourierProtocol
internal import Glibc
internal import WebAddress

/// Assigns the courier's slots to requests.
///
/// Requests with a higher urgency come first, users' decisions before all others. Among requests of the
/// same urgency, the owner that uses the fewest slots comes first. Polls get at most half of the slots, and
/// one origin, which may respond slowly, leaves slots of each kind to the other origins.
struct CourierQueue {
  /// Slots reserved for decisions; while only these are free, each owner may have one decision in flight.
  static let reservedForDecisions = 8
  /// Slots that ordinary requests leave free for polls.
  static let reservedForPolls = 8
  /// Maximum number of slots for the decisions of one owner while other slots are free.
  static let mostDecisionsOfOneOwner = 4
  /// Maximum number of slots for the ordinary requests of one owner.
  static let mostOfOneOwner = 16
  /// Maximum number of slots for the requests to one origin.
  ///
  /// The others are more than all reserved slots, so that requests to other origins are sent too.
  static let mostOfOneOrigin = 44
  /// Maximum number of waiting requests of the same owner and urgency; polls are not limited.
  static let mostWaiting = 64

  private struct Entry {
    let id: ExchangeID
    let priority: CourierRequest.Priority
    let origin: Origin
  }

  /// Some slots and their use: those of the courier, or the part of them for one origin.
  private struct Slots {
    let capacity: Int
    var used = 0
    /// Number of slots that polls use, at most half.
    var polls = 0

    var free: Int { capacity - used }

    init(_ capacity: Int) { self.capacity = capacity }

    mutating func change(by difference: Int, for urgency: CourierRequest.Priority.Urgency) {
      used += difference
      if urgency == .poll { polls += difference }
    }

    /// True if a request may have a slot; `held` is the number of slots that its owner has for its urgency.
    func hasRoom(for priority: CourierRequest.Priority, held: Int) -> Bool {
      switch priority.urgency {
      case .decision:
        free > CourierQueue.reservedForDecisions
          ? held < CourierQueue.mostDecisionsOfOneOwner : free > 0 && held < 1
      case .ordinary:
        free > CourierQueue.reservedForDecisions + max(0, CourierQueue.reservedForPolls - polls)
          && (priority.owner == nil || held < CourierQueue.mostOfOneOwner)
      case .poll: free > CourierQueue.reservedForDecisions && polls < capacity / 2
      }
    }
  }

  private var waiting: [Entry] = []
  private var underWay: [ExchangeID: Entry] = [:]
  private var slots = Slots(CourierLimits.maximumUnderWay)
  /// The slots of the origins that use any.
  private var origins: [Origin: Slots] = [:]
  /// Number of slots in use, by owner and urgency.
  private var places: [CourierRequest.Priority: Int] = [:]

  /// Number of requests that wait or are in flight.
  var count: Int { waiting.count + underWay.count }

  /// Adds a request; returns false if too many requests of the same owner and urgency wait.
  mutating func add(_ id: ExchangeID, _ priority: CourierRequest.Priority, to origin: Origin) -> Bool {
    // Do not limit polls: only the daemon creates them.
    let isFull = priority.urgency != .poll && waiting.count { $0.priority == priority } >= Self.mostWaiting
    if !isFull { waiting.append(Entry(id: id, priority: priority, origin: origin)) }
    return !isFull
  }

  /// Returns the next request that may be sent and assigns a slot to it, or `nil`.
  mutating func takeNext() -> ExchangeID? {
    let next = waiting.indices.filter { mayGo(waiting[$0]) }.min { one, other in
      rank(waiting[one].priority) < rank(waiting[other].priority)
    }
    guard let next else { return nil }
    let entry = waiting.remove(at: next)
    underWay[entry.id] = entry
    change(by: 1, for: entry)
    return entry.id
  }

  /// Removes a completed request, whether it waits or is in flight.
  mutating func remove(_ id: ExchangeID) {
    guard let entry = underWay.removeValue(forKey: id) else { return waiting.removeAll { $0.id == id } }
    change(by: -1, for: entry)
  }

  private mutating func change(by difference: Int, for entry: Entry) {
    let urgency = entry.priority.urgency
    slots.change(by: difference, for: urgency)
    var origin = slots(of: entry.origin)
    origin.change(by: difference, for: urgency)
    origins[entry.origin] = origin.used > 0 ? origin : nil
    let held = places[entry.priority, default: 0] + difference
    places[entry.priority] = held > 0 ? held : nil
  }

  private func slots(of origin: Origin) -> Slots { origins[origin] ?? Slots(Self.mostOfOneOrigin) }

  private func mayGo(_ entry: Entry) -> Bool {
    let held = places[entry.priority, default: 0]
    return slots.hasRoom(for: entry.priority, held: held)
      && slots(of: entry.origin).hasRoom(for: entry.priority, held: held)
  }

  /// The sort key of a request; requests of the same rank are sent in the order of their arrival.
  private func rank(_ priority: CourierRequest.Priority) -> (Int, Int) {
    (priority.urgency.rawValue, places[priority, default: 0])
  }
}
