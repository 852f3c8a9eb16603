internal import EventLoop

/// Parameters of one run: actions that are frequent in it, so that rare combinations occur.
struct Temper {
  /// The favourite steps.
  let favourites: [Step]
  /// Percentage of favourite steps.
  let share: Int
  /// Index of the favourite owner.
  let favouritePerson: Int
  /// Percentage of steps that affect the favourite owner.
  let devotion: Int
  /// The fault profile of bad times.
  let storm: Weather
  /// Percentage of waits that end near another event.
  let nearness: Int
  /// Ranges of the time for a decision, in seconds.
  let lifetimes: [ClosedRange<Int>]
  /// Percentage of long pauses.
  let leisure: Int
  let length: Int
  /// Last path component of requests that mostly get no response, although the platform receives them.
  let outage: String?

  static let longest = 35

  @EventLoop
  init(_ world: World) {
    let isSpecial = world.happens(75)
    favourites = isSpecial ? (1...world.number(1...5)).compactMap { _ in world.any(of: Step.all) } : []
    share = isSpecial ? world.any(of: [40, 70, 95]) ?? 0 : 0
    favouritePerson = world.number(0...Template.owners.count - 1)
    devotion = world.any(of: [0, 0, 50, 90]) ?? 0
    func rate(_ rates: [Int]) -> Int { world.any(of: rates) ?? 0 }
    storm = Weather(
      lost: rate([0, 5, 25, 25, 60]),
      doubled: rate([0, 0, 15, 30]),
      slow: rate([0, 5, 15, 40]),
      hanging: rate([0, 0, 0, 10, 25]),
      garbled: rate([0, 0, 0, 10]),
      refused: rate([0, 0, 0, 30])
    )
    nearness = rate([0, 5, 20, 40])
    lifetimes =
      world.any(of: [
        [2...15, 16...60, 16...60, 100...300], [2...15, 16...60, 16...60, 100...300], [2...15, 5...40],
        [200...600],
      ]) ?? []
    leisure = rate([0, 5, 5, 20])
    length = world.number(5...Self.longest)
    outage = world.any(of: ["answer", "otp", "claim", "pairings", "trust", "keys", nil, nil, nil]) ?? nil
  }

  /// Returns the next step.
  @EventLoop
  func step(_ world: World) -> Step {
    if world.happens(share), let favourite = world.any(of: favourites) { return favourite }
    var left = world.number(1...Step.weights)
    return Step.all.first { step in
      left -= step.weight
      return left <= 0
    } ?? Step.all[0]
  }
}
