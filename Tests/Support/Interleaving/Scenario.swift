package import EventLoop
package import Fixtures
import TestLoop

/// Something whose clients, network, clocks and machine do what they like, in the order that a seed says.
///
/// A scenario plays one seed on a bench, which later ones play on too, tells in its story what happened, and records
/// what is wrong together with it.
@EventLoop
package protocol Scenario: AnyObject {
  associatedtype Bench

  var numbers: SeededNumbers { get set }
  /// What happened so far, beginning with the seed.
  var story: [String] { get set }
  /// What was seen from outside, as it is told when something is wrong.
  var seen: String { get }

  init(_ seed: UInt64, on bench: Bench) async throws

  /// Does what the seed says, and looks whether all is as it must be.
  func run() async throws
}

extension Scenario {
  package var seen: String { "" }

  /// Plays the seeds of a block one after the other, on one bench.
  ///
  /// It is not isolated: the loop may not run yet, and is started here.
  package nonisolated static func play(
    block: Int,
    of count: Int,
    on makeBench: @escaping @EventLoop @Sendable () async throws -> Bench
  ) async throws {
    try await TestLoop.run {
      let bench = try await makeBench()
      for seed in Seeds.block(block, of: count) { try await Self(seed, on: bench).run() }
    }
  }

  /// Whether something happens that does in one of so many cases.
  package func happens(in count: Int) -> Bool { Int.random(in: 0..<count, using: &numbers) == 0 }

  /// Records what is wrong.
  package func fail(_ reason: String) {
    TestLoop.violate("\(reason): \(story.joined(separator: "; "))\(seen.isEmpty ? "" : " → \(seen)")")
  }

  /// Records what is wrong, if something is.
  package func expect(_ condition: Bool, _ reason: @autoclosure () -> String) {
    if !condition { fail(reason()) }
  }

  /// Lets one of the calls that a gate holds go on, or fail with one of some errors; `nil` stands for the former.
  package func release<Call, Failure>(
    from gate: Gate<Call, Failure>,
    _ errors: (Call) -> [Failure?],
    before: (Call, Failure?) -> Void = { _, _ in }
  ) async {
    guard let index = gate.held.indices.randomElement(using: &numbers) else { return }
    let call = gate.held[index]
    let error = errors(call).randomElement(using: &numbers) ?? nil
    story.append("\(call): \(error.map { "\($0)" } ?? "goes on")")
    before(call, error)
    await gate.release(error, at: index)
  }
}
