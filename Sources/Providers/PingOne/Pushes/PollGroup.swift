internal import EventLoop
internal import Glibc
internal import Time
internal import Vault

/// Identities of one platform that share one long poll.
@EventLoop
final class PollGroup {
  private(set) var members: [OwnedKey] = []
  private let fetch: @EventLoop ([OwnedKey]) async throws -> Bool
  /// Called for each identity when an unreachable platform responds again.
  private let whenReachableAgain: @EventLoop (OwnedKey) -> Void
  private var task: Task<Void, Never>?
  private var restart: Timer?
  private var startedAt: Duration?
  private var round = PollGroup.shortestRound
  /// True if the platform was unreachable at the last poll.
  private var isCutOff = false
  private var isPausing = false
  private let time: TimeSource

  /// Minimum duration of a poll before it is aborted to add new members.
  ///
  /// It doubles with each abort, up to a minute, until a poll completes. Without this, members that join and
  /// leave repeatedly could delay the pushes of others.
  private static let shortestRound = Duration.seconds(2)
  private static let longestRound = Duration.seconds(60)
  private let pauses: BackOff

  /// Creates a group; `fetch` returns true if the next poll may follow immediately.
  init(
    time: TimeSource,
    pauses: BackOff = BackOff(from: .seconds(1), to: .seconds(300)),
    fetch: @escaping @EventLoop ([OwnedKey]) async throws -> Bool,
    whenReachableAgain: @escaping @EventLoop (OwnedKey) -> Void
  ) {
    (self.time, self.pauses, self.fetch, self.whenReachableAgain) = (time, pauses, fetch, whenReachableAgain)
  }

  /// Adds an identity; restarts a poll in progress with the new member once the poll has run for `round`.
  func add(_ member: OwnedKey) {
    members.append(member)
    guard restart == nil else { return }
    let age = startedAt.map { time.uptime() - $0 } ?? round
    guard age < round else { return start() }
    restart = EventLoop.after(round - age) { [weak self] in
      guard let self else { return }
      self.round = min(self.round * 2, Self.longestRound)
      self.start()
    }
  }

  private func start() {
    stop()
    startedAt = time.uptime()
    task = Vault.leavingCall { EventLoop.task { [weak self] in await self?.run() } }
  }

  /// Polls immediately instead of waiting for the next retry, because the platform is reachable again.
  func askAgain() {
    if isCutOff, isPausing { start() }
  }

  /// Excludes an identity from the next poll; stops polling if no member is left.
  func remove(_ member: OwnedKey) {
    members.removeAll { $0 == member }
    if members.isEmpty { stop() }
  }

  func stop() {
    restart?.cancel()
    task?.cancel()
    (restart, task, startedAt, isPausing) = (nil, nil, nil, false)
  }

  private func run() async {
    var backOff = pauses
    while !Task.isCancelled, !members.isEmpty {
      do {
        let mayGoOn = try await fetch(members)
        round = Self.shortestRound
        if isCutOff { for member in members { whenReachableAgain(member) } }
        isCutOff = false
        if mayGoOn {
          backOff.reset()
          continue
        }
      } catch {
        // A poll that was aborted for a new member does not show that the platform is unreachable.
        if Task.isCancelled { return }
        isCutOff = true
        // Let another member send the next poll, in case only this member gets no response.
        if members.count > 1 { members.append(members.removeFirst()) }
      }
      isPausing = true
      guard (try? await EventLoop.sleep(for: backOff.next() + EventLoop.jitter)) != nil else { return }
      isPausing = false
    }
  }
}
