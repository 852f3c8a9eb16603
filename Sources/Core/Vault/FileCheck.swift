package import EventLoop
internal import Glibc
internal import Journal
internal import SQLite

/// Reads the whole file, beside the loop, so that damage is known before somebody needs what is damaged.
///
/// What is asked for meanwhile is right all the same: a damaged page is found whenever it is read.
@EventLoop
package final class FileCheck {
  private let path: String
  private let lane = DerivationLane()
  private let flight = SingleFlight<String, Int>()
  /// Whether it is under way.
  package private(set) var isUnderWay = false

  nonisolated init(path: String) { self.path = path }

  /// How many pages are not as they were written; who asks while they are read gets what is found then.
  package func countDamagedPages() async throws -> Int {
    // What nobody has made yet is not damaged.
    guard access(path, F_OK) == 0 else { return 0 }
    return try await flight.run(path) { [self] in
      isUnderWay = true
      defer { isUnderWay = false }
      return try await lane.run(for: 0) { [path] in
        guard let count = Database.countDamagedPages(path: path) else { throw SQLiteError(.failed) }
        return count
      }
    }
  }
}
