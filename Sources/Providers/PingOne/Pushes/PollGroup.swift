internal import EventLoop
internal import Glibc
internal import Time
internal import Vault

/// Identities of one platform whose pushes are fetched together, by one long poll at a time.
@EventLoop
final class PollGroup {
  private(set) var members: [OwnedKey] = []
  private let fetch: @EventLoop ([OwnedKey]) async throws -> Bool
  /// Is told which identities a platform answers for again that could not be reached.
  private let whenReachableAgain: @EventLoop (OwnedKey) -> Void
  private var task: Task<Void, Never>?
  private var restart: Timer?
  private var startedAt: Duration?
  private var round = PollGroup.shortestRound
  /// Whether the platform could not be reached when it was asked last.
  private var isCutOff = false
  private var isPausing = false
  private let time: TimeSource

  /// A poll is given up for newcomers no sooner, and each time later until one comes to its end, so that nobody who
  /// comes and goes keeps the others' pushes away.
  private static let shortestRound = Duration.seconds(2)
  private static let longestRound = Duration.seconds(60)
  private let pauses: BackOff

  /// `fetch` returns whether the next poll may follow at once.
  init(
    time: TimeSource,
    pauses: BackOff = BackOff(from: .seconds(1), to: .seconds(300)),
    fetch: @escaping @EventLoop ([OwnedKey]) async throws -> Bool,
    whenReachableAgain: @escaping @EventLoop (OwnedKey) -> Void
  ) {
    (self.time, self.pauses, self.fetch, self.whenReachableAgain) = (time, pauses, fetch, whenReachableAgain)
  }

  /// Takes an identity in; a poll that is under way without it is given up for one that has it.
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

  /// Asks at once where the next try would come later, because the platform can be reached again.
  func askAgain() {
    if isCutOff, isPausing { start() }
  }

  /// Leaves an identity out from the next poll on; without any there is none.
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
        // A poll that was given up for a newcomer says nothing of the platform.
        if Task.isCancelled { return }
        isCutOff = true
        // Who asks for all is another the next time: one whom the platform does not answer holds up nobody else.
        if members.count > 1 { members.append(members.removeFirst()) }
      }
      isPausing = true
      guard (try? await EventLoop.sleep(for: backOff.next() + EventLoop.jitter)) != nil else { return }
      isPausing = false
    }
  }
}
