internal import CourierProtocol
internal import Glibc

/// Whose turn it is to use the courier's places: what a person decided goes before all else, what only waits for news
/// takes no more than half, and of the rest whoever uses the fewest is next.
struct CourierQueue {
  /// Places that only decisions take, each owner one: an owner whose decisions nobody answers takes no other's.
  static let reservedForDecisions = 8
  /// Places that ordinary requests leave to polls.
  static let reservedForPolls = 8
  /// The most places that decisions of one owner take where there are others.
  static let mostDecisionsOfOneOwner = 4
  /// The most places that polls take.
  static let mostPolls = CourierLimits.maximumUnderWay / 2
  /// The most places that one owner takes for ordinary requests.
  static let mostOfOneOwner = 16
  /// The most requests of one owner, or of nobody, that wait for their turn.
  static let mostWaiting = 64

  private struct Entry {
    let id: ExchangeID
    let turn: CourierRequest.Turn
  }

  private var waiting: [Entry] = []
  private var underWay: [ExchangeID: CourierRequest.Turn] = [:]
  private var polls = 0
  /// How many places each owner has for what is equally urgent.
  private var places: [CourierRequest.Turn: Int] = [:]

  /// How many requests wait or are under way.
  var count: Int { waiting.count + underWay.count }

  /// Takes a request in, or refuses it when too many of the same owner wait.
  mutating func add(_ id: ExchangeID, _ turn: CourierRequest.Turn) -> Bool {
    // The daemon's own polls are as many as it wants; it does not flood itself.
    let isFull = turn.urgency != .poll && waiting.count { $0.turn == turn } >= Self.mostWaiting
    if !isFull { waiting.append(Entry(id: id, turn: turn)) }
    return !isFull
  }

  /// The request that may be sent now, which has a place from here on.
  mutating func takeNext() -> ExchangeID? {
    let next = waiting.indices.filter { mayGo(waiting[$0].turn) }.min { one, other in
      rank(waiting[one].turn) < rank(waiting[other].turn)
    }
    guard let next else { return nil }
    let entry = waiting.remove(at: next)
    underWay[entry.id] = entry.turn
    places[entry.turn, default: 0] += 1
    if entry.turn.urgency == .poll { polls += 1 }
    return entry.id
  }

  /// Lets a request go that is over, wherever it is.
  mutating func remove(_ id: ExchangeID) {
    guard let turn = underWay.removeValue(forKey: id) else { return waiting.removeAll { $0.id == id } }
    let held = places[turn, default: 1] - 1
    places[turn] = held > 0 ? held : nil
    if turn.urgency == .poll { polls -= 1 }
  }

  private func mayGo(_ turn: CourierRequest.Turn) -> Bool {
    let free = CourierLimits.maximumUnderWay - underWay.count
    return switch turn.urgency {
    case .decision:
      free > 0
        && places[turn, default: 0] < (free > Self.reservedForDecisions ? Self.mostDecisionsOfOneOwner : 1)
    case .ordinary:
      free > Self.reservedForDecisions + max(0, Self.reservedForPolls - polls)
        && (turn.owner == nil || places[turn, default: 0] < Self.mostOfOneOwner)
    case .poll: free > Self.reservedForDecisions && polls < Self.mostPolls
    }
  }

  /// Of two with the same rank the first that came is next.
  private func rank(_ turn: CourierRequest.Turn) -> (Int, Int) {
    (turn.urgency.rawValue, places[turn, default: 0])
  }
}
