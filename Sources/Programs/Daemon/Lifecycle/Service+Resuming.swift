internal import Accounts
internal import Approvals
public import EventLoop
internal import Journal
internal import PingAM
internal import PingOne
internal import PushRelay
internal import Vault

extension Service {
  private static let retry = Duration.seconds(30)

  /// Takes up what an earlier life left and nobody else is needed for: pushes come in again before anything is waited for.
  @EventLoop
  public func takeUp() async {
    core.retention.start()
    await resume([
      { try await pingOne.poller.resume() },
      { try relays.resume() },
      { try accounts.resumeLocks() },
      { core.owners.resume() },
      { try pingAM.enroller.resume() },
      { try pingAM.refresh.resume() },
    ])
  }

  /// Resumes what others have to answer: decisions, pairings.
  @EventLoop
  public func resume() async {
    await resume([
      { try await approvals.resume() },
      { try await pingOne.pairings.resumePairings() },
    ])
    pingOne.reports.start()
    pingOne.devices.startRotating()
  }

  @EventLoop
  private func resume(_ steps: [@EventLoop () async throws -> Void]) async {
    for step in steps { await resume(step) }
  }

  /// Resumes one thing, which holds up no other; what does not go now is tried again until it does.
  @EventLoop
  private func resume(_ step: @escaping @EventLoop () async throws -> Void) async {
    do { try await step() } catch {
      Journal.error("what was left from before cannot be resumed", ["reason": "\(error)"])
      EventLoop.after(Self.retry) { EventLoop.task { await resume(step) } }
    }
  }
}
