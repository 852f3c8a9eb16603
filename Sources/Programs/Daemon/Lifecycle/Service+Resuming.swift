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

  /// Resumes work of the previous run that does not wait for replies of servers.
  ///
  /// The receipt of pushes is resumed first.
  @EventLoop
  public func resumePendingWork() async {
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

  /// Resumes work of the previous run that waits for replies of servers: decisions and pairings.
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

  /// Runs one step.
  ///
  /// A failed step is retried until it succeeds, and does not block the others.
  @EventLoop
  private func resume(_ step: @escaping @EventLoop () async throws -> Void) async {
    do { try await step() } catch {
      Journal.error("work of the previous run cannot be resumed", ["reason": "\(error)"])
      EventLoop.after(Self.retry) { EventLoop.task { await resume(step) } }
    }
  }
}
