internal import EventLoop
internal import Glibc
internal import Vault

/// Identities of one platform whose pushes are fetched together, by one long poll at a time.
@EventLoop
final class PollGroup {
  private(set) var members: [OwnedKey] = []
  private let fetch: @EventLoop ([OwnedKey]) async throws -> Bool
  /// Is told which identities a platform answers for again that could not be reached.
  private let whenBack: @EventLoop (OwnedKey) -> Void
  private var task: Task<Void, Never>?

  private static let shortestPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(300)

  /// `fetch` returns whether the next poll may follow at once.
  init(
    fetch: @escaping @EventLoop ([OwnedKey]) async throws -> Bool,
    whenBack: @escaping @EventLoop (OwnedKey) -> Void
  ) {
    (self.fetch, self.whenBack) = (fetch, whenBack)
  }

  /// Takes an identity in; a poll that is under way without it is given up for one that has it.
  func add(_ member: OwnedKey) {
    members.append(member)
    task?.cancel()
    task = EventLoop.task { [weak self] in await self?.run() }
  }

  /// Leaves identities out from the next poll on; without any there is none.
  func remove(where isGone: (OwnedKey) -> Bool) {
    members.removeAll(where: isGone)
    if members.isEmpty { stop() }
  }

  func stop() {
    task?.cancel()
    task = nil
  }

  private func run() async {
    var backOff = BackOff(from: Self.shortestPause, to: Self.longestPause)
    var isCutOff = false
    while !Task.isCancelled, !members.isEmpty {
      do {
        let mayGoOn = try await fetch(members)
        if isCutOff { for member in members { whenBack(member) } }
        isCutOff = false
        if mayGoOn {
          backOff.reset()
          continue
        }
      } catch { isCutOff = true }
      let jitter = Duration.milliseconds(Int.random(in: 0...500))
      guard (try? await EventLoop.sleep(for: backOff.next() + jitter)) != nil else { return }
    }
  }
}
