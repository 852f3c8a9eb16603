internal import EventLoop
internal import Glibc
internal import Machine
internal import SystemCalls
internal import Time
internal import Vault

/// Looks up users of the machine and caches the results.
///
/// Lookups may block, so they run on worker threads: first in files, then at name services for users in no
/// file. A hanging name service thus delays no user that a file lists.
@EventLoop
final class UserLookup {
  /// The lookup functions.
  ///
  /// Both functions may block their thread.
  struct Sources: Sendable {
    /// Searches files; `nil` if only a name service can decide.
    var files: @Sendable (uid_t) -> UserLookupResult? = { Host().standing(of: $0) }
    var services: @Sendable (uid_t) -> UserLookupResult = { .byNameServices($0) }
  }

  private typealias Memory = RecentCache<uid_t, (standing: UserLookupResult, until: Duration)>

  private let sources: Sources
  private let time: TimeSource
  /// Two caches, so that any number of unknown users evicts no known user.
  private let (known, others) = (Memory(capacity: 32_768), Memory(capacity: 1024))
  private let flights = SingleFlight<uid_t, UserLookupResult>()
  private let (files, services) = (BlockingWorkQueue(), BlockingWorkQueue())

  nonisolated init(_ sources: Sources = Sources(), time: TimeSource) {
    (self.sources, self.time) = (sources, time)
  }

  /// Returns the cached result for a user; `nil` if a lookup is needed.
  func remembered(_ user: uid_t) -> UserLookupResult? {
    guard let memory = known[user] ?? others[user], memory.until > time.uptime() else { return nil }
    return memory.standing
  }

  /// Returns the cached result for a user, else looks the user up.
  ///
  /// Concurrent calls share one lookup.
  func standing(of user: uid_t) async -> UserLookupResult {
    if let standing = remembered(user) { return standing }
    do {
      return try await flights.run(user) { [self] in
        let standing = try await ask(user)
        remember(standing, of: user)
        return standing
      }
    } catch { return .undecided((error as? SystemError)?.code ?? EAGAIN) }
  }

  private func ask(_ user: uid_t) async throws -> UserLookupResult {
    let sources = sources
    if let standing = try await files.run(for: user, { sources.files(user) }) { return standing }
    return try await services.run(for: user) { sources.services(user) }
  }

  private func remember(_ standing: UserLookupResult, of user: uid_t) {
    (known[user], others[user]) = (nil, nil)
    let memory = standing == .known ? known : others
    memory[user] = (standing, time.uptime() + Self.life(of: standing))
  }

  private static func life(of standing: UserLookupResult) -> Duration {
    switch standing {
    case .known: .seconds(300)
    case .unknown, .subordinate: .seconds(10)
    case .undecided: .seconds(1)
    }
  }
}
