import CourierProtocol
import Fixtures
import Testing
import WebAddress

@testable import CourierLink

@Suite("courier queue")
struct CourierQueueTests {
  private typealias Turn = CourierRequest.Priority

  /// Ids in ascending order.
  private struct Ids {
    private var last = ExchangeID.first

    mutating func next() -> ExchangeID {
      last = last.next
      return last
    }
  }

  /// The queue as a class, because `#expect` cannot contain a mutating call.
  private final class Line {
    private var queue = CourierQueue()

    var count: Int { queue.count }

    /// Adds a request, to an origin of its own if none is given.
    func add(_ id: ExchangeID, _ priority: Turn, to origin: String? = nil) -> Bool {
      let url = WebURL("https://\(origin ?? "\(id.rawValue)")/")
      return url.map { queue.add(id, priority, to: $0.origin) } ?? false
    }

    func remove(_ id: ExchangeID) { queue.remove(id) }

    func next() -> ExchangeID? { queue.takeNext() }

    /// All ids that may be sent now.
    func taken() -> [ExchangeID] {
      var ids: [ExchangeID] = []
      while let id = next() { ids.append(id) }
      return ids
    }
  }

  @Test("a decision is sent at once, however many polls and requests wait")
  func decisions() {
    let queue = Line()
    var ids = Ids()
    for owner: UInt32 in 1...200 {
      let (poll, request) = (ids.next(), ids.next())
      #expect(queue.add(poll, Turn(.poll, of: owner)) && queue.add(request, Turn(.ordinary, of: owner)))
    }
    let busy = queue.taken()
    #expect(busy.count == CourierLimits.maximumUnderWay - CourierQueue.reservedForDecisions)
    let decisions = (0..<CourierQueue.reservedForDecisions).map { _ in ids.next() }
    for (index, decision) in decisions.enumerated() {
      #expect(queue.add(decision, Turn(.decision, of: UInt32(7 + index))))
    }
    #expect(queue.taken() == decisions)
    let late = ids.next()
    #expect(queue.add(late, Turn(.decision, of: 99)) && queue.next() == nil)
    queue.remove(busy[0])
    #expect(queue.next() == late)
  }

  @Test("polls use at most half of the slots, in order")
  func polls() {
    let queue = Line()
    var ids = Ids()
    let polls = (0..<100).map { _ in ids.next() }
    for (owner, poll) in polls.enumerated() { #expect(queue.add(poll, Turn(.poll, of: UInt32(owner)))) }
    #expect(queue.taken() == Array(polls.prefix(CourierLimits.maximumUnderWay / 2)))
    queue.remove(polls[3])
    #expect(queue.taken() == [polls[CourierLimits.maximumUnderWay / 2]])
    let request = ids.next()
    #expect(queue.add(request, Turn(of: 1)) && queue.next() == request)
  }

  @Test("slots are reserved for polls, and for decisions of other owners")
  func shares() {
    let queue = Line()
    var ids = Ids()
    for owner: UInt32 in 0..<8 {
      let many = (0..<20).map { _ in ids.next() }
      for id in many { #expect(queue.add(id, Turn(of: owner))) }
    }
    #expect(
      queue.taken().count == CourierLimits.maximumUnderWay - CourierQueue.reservedForDecisions
        - CourierQueue.reservedForPolls
    )
    let polls = (0..<9).map { _ in ids.next() }
    for poll in polls { #expect(queue.add(poll, Turn(.poll, of: 1))) }
    #expect(queue.taken() == Array(polls.prefix(CourierQueue.reservedForPolls)))
    let decisions = (0..<9).map { _ in ids.next() }
    for decision in decisions { #expect(queue.add(decision, Turn(.decision, of: 1))) }
    #expect(queue.taken() == Array(decisions.prefix(1)), "of the places that only decisions take, one each")
    let other = ids.next()
    #expect(queue.add(other, Turn(.decision, of: 2)) && queue.next() == other)
  }

  @Test("an owner may have four decisions in flight if slots are free")
  func decisionsOfOneOwner() {
    let queue = Line()
    var ids = Ids()
    let decisions = (0..<9).map { _ in ids.next() }
    for decision in decisions { #expect(queue.add(decision, Turn(.decision, of: 1))) }
    #expect(queue.taken() == Array(decisions.prefix(CourierQueue.mostDecisionsOfOneOwner)))
    queue.remove(decisions[1])
    #expect(queue.taken() == [decisions[CourierQueue.mostDecisionsOfOneOwner]])
  }

  @Test("a flood of requests delays only its owner and is rejected above the limit")
  func flood() {
    let queue = Line()
    var ids = Ids()
    let flood = (0..<(CourierQueue.mostWaiting + 20)).map { _ in (ids.next(), Turn(of: 666)) }
    let accepted = flood.filter { queue.add($0.0, $0.1) }
    #expect(accepted.count == CourierQueue.mostWaiting)
    #expect(queue.taken().count == CourierQueue.mostOfOneOwner)
    let other = ids.next()
    #expect(queue.add(other, Turn(of: 1)))
    #expect(queue.taken() == [other])
  }

  @Test("requests to one origin leave slots of each kind for other origins")
  func origins() {
    let queue = Line()
    var ids = Ids()
    for urgency: Turn.Urgency in [.ordinary, .poll, .decision] {
      for owner: UInt32 in 0..<64 { #expect(queue.add(ids.next(), Turn(urgency, of: owner), to: "slow")) }
    }
    #expect(queue.taken().count == CourierQueue.mostOfOneOrigin)
    for urgency: Turn.Urgency in [.ordinary, .poll, .decision] {
      let id = ids.next()
      #expect(queue.add(id, Turn(urgency, of: 1), to: "quick") && queue.taken() == [id])
    }
  }

  @Test("one origin has the same reserves for polls and decisions within its slots")
  func reservesOfOrigin() {
    let queue = Line()
    var ids = Ids()
    func taken(_ urgency: Turn.Urgency, _ owners: Range<UInt32>) -> Int {
      for owner in owners { #expect(queue.add(ids.next(), Turn(urgency, of: owner), to: "slow")) }
      return queue.taken().count
    }
    let reserved = CourierQueue.reservedForDecisions + CourierQueue.reservedForPolls
    #expect(taken(.ordinary, 0..<64) == CourierQueue.mostOfOneOrigin - reserved)
    #expect(taken(.poll, 0..<64) == CourierQueue.reservedForPolls)
    for _ in 0..<2 { #expect(queue.add(ids.next(), Turn(.decision, of: 1), to: "slow")) }
    #expect(queue.taken().count == 1)
    #expect(taken(.decision, 2..<64) == CourierQueue.reservedForDecisions - 1)
  }

  @Test("the waiting owner with the fewest slots is next")
  func fairness() {
    let queue = Line()
    var ids = Ids()
    let filling = (0..<48).map { _ in ids.next() }
    for (index, id) in filling.enumerated() { #expect(queue.add(id, Turn(of: UInt32(1000 + index / 12)))) }
    #expect(queue.taken().count == 48)
    let greedy = (0..<5).map { _ in ids.next() }
    for id in greedy { #expect(queue.add(id, Turn(of: 1000))) }
    let modest = ids.next()
    #expect(queue.add(modest, Turn(of: 1)))
    queue.remove(filling[47])
    #expect(queue.taken() == [modest])
  }

  @Test("random use keeps the slot count right and loses no waiting request")
  func accounting() {
    var numbers = SeededNumbers(11)
    let queue = Line()
    var ids = Ids()
    var (held, expected): ([ExchangeID], Set<ExchangeID>) = ([], [])
    for _ in 0..<20_000 {
      if Bool.random(using: &numbers) {
        let id = ids.next()
        let urgency: [Turn.Urgency] = [.decision, .ordinary, .poll]
        let priority = Turn(
          urgency[Int.random(in: 0..<3, using: &numbers)],
          of: .random(in: 0..<9, using: &numbers)
        )
        let origin = ["slow", "quick", nil].randomElement(using: &numbers) ?? nil
        if queue.add(id, priority, to: origin) { expected.insert(id) }
      } else if let id = held.randomElement(using: &numbers) {
        held.removeAll { $0 == id }
        expected.remove(id)
        queue.remove(id)
      }
      held += queue.taken()
      #expect(held.count <= CourierLimits.maximumUnderWay && queue.count == expected.count)
    }
    while let id = held.popLast() {
      expected.remove(id)
      queue.remove(id)
      held += queue.taken()
    }
    #expect(expected.isEmpty && queue.count == 0)
  }
}
