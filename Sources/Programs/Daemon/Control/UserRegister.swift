internal import EventLoop
internal import Glibc
internal import Machine
internal import SystemCalls
internal import Time
internal import Vault

/// What the machine says of users, remembered for a while.
///
/// Asking it may take long, so that it is done beside the loop: its files first, and its name services only for whom
/// no file has, so that one which hangs holds up nobody else.
@EventLoop
final class UserRegister {
  /// Where the machine is asked; both block.
  struct Sources: Sendable {
    /// What its files say; `nil` if only others could know.
    var files: @Sendable (uid_t) -> UserStanding? = { Host().standing(of: $0) }
    var services: @Sendable (uid_t) -> UserStanding = { .byNameServices($0) }
  }

  private typealias Memory = RecentCache<uid_t, (standing: UserStanding, until: Duration)>

  private let sources: Sources
  private let time: TimeSource
  /// Strangers, however many come, make nobody forgotten who is known.
  private let (known, others) = (Memory(capacity: 32_768), Memory(capacity: 1024))
  private let flights = SingleFlight<uid_t, UserStanding>()
  private let (files, services) = (DerivationLane(), DerivationLane())

  nonisolated init(_ sources: Sources = Sources(), time: TimeSource) {
    (self.sources, self.time) = (sources, time)
  }

  /// What is remembered of a user; `nil` if the machine has to be asked.
  func remembered(_ user: uid_t) -> UserStanding? {
    guard let memory = known[user] ?? others[user], memory.until > time.uptime() else { return nil }
    return memory.standing
  }

  /// What is remembered of a user, else what the machine says, whom it is asked about once at a time.
  func standing(of user: uid_t) async -> UserStanding {
    if let standing = remembered(user) { return standing }
    do {
      return try await flights.run(user) { [self] in
        let standing = try await ask(user)
        remember(standing, of: user)
        return standing
      }
    } catch { return .undecided((error as? SystemError)?.code ?? EAGAIN) }
  }

  private func ask(_ user: uid_t) async throws -> UserStanding {
    let sources = sources
    if let standing = try await files.run(for: user, { sources.files(user) }) { return standing }
    return try await services.run(for: user) { sources.services(user) }
  }

  private func remember(_ standing: UserStanding, of user: uid_t) {
    (known[user], others[user]) = (nil, nil)
    let memory = standing == .known ? known : others
    memory[user] = (standing, time.uptime() + Self.life(of: standing))
  }

  private static func life(of standing: UserStanding) -> Duration {
    switch standing {
    case .known: .seconds(300)
    case .unknown, .subordinate: .seconds(10)
    case .undecided: .seconds(1)
    }
  }
}
