internal import Authenticator
internal import ControlAPI
internal import EventLoop
internal import SignOn
internal import Time

/// Everything that handlers can reach.
@EventLoop
final class Service {
  let authenticator: Authenticator
  let signOn: SignOnService
  let directory: IssuerDirectory
  let time: TimeSource
  let posture: @EventLoop () -> RawJSON
  let startedAt: Timestamp
  let startedUptime: Duration
  let isMemoryLocked: Bool
  let clock = SystemClock()
  let counters = TrafficCounters()

  init(
    authenticator: Authenticator,
    signOn: SignOnService,
    directory: IssuerDirectory,
    time: TimeSource,
    posture: @escaping @EventLoop () -> RawJSON,
    isMemoryLocked: Bool
  ) {
    (self.authenticator, self.signOn, self.directory) = (authenticator, signOn, directory)
    (self.time, self.posture, self.isMemoryLocked) = (time, posture, isMemoryLocked)
    (startedAt, startedUptime) = (time.now(), time.uptime())
  }
}
