package import EventLoop
package import Fixtures
import TestLoop

/// A test in which clients, network, clocks and machine act in an order that a seed determines.
///
/// A scenario runs one seed on a bench that later seeds reuse. It logs all events in `story` and records
/// failures with it.
@EventLoop
package protocol Scenario: AnyObject {
  associatedtype Bench

  var numbers: SeededNumbers { get set }
  /// All events so far, beginning with the seed.
  var story: [String] { get set }
  /// Externally visible state, for failure messages.
  var seen: String { get }

  init(_ seed: UInt64, on bench: Bench) async throws

  /// Runs the actions of the seed and checks the results.
  func run() async throws
}

extension Scenario {
  package var seen: String { "" }

  /// Runs the seeds of a block one by one, on one bench.
  ///
  /// Not isolated, since this function starts the loop if it is not running yet.
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

  /// Returns true in one of `count` cases.
  package func happens(in count: Int) -> Bool { Int.random(in: 0..<count, using: &numbers) == 0 }

  /// Records a failure.
  package func fail(_ reason: String) {
    TestLoop.violate("\(reason): \(story.joined(separator: "; "))\(seen.isEmpty ? "" : " → \(seen)")")
  }

  /// Records a failure if the condition is false.
  package func expect(_ condition: Bool, _ reason: @autoclosure () -> String) {
    if !condition { fail(reason()) }
  }

  /// Releases one blocked call of a gate, or lets it fail with one of the errors; `nil` releases it.
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
