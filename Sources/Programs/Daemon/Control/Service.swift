internal import Authenticator
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
    isMemoryLocked: Bool
  ) {
    (self.authenticator, self.signOn, self.directory) = (authenticator, signOn, directory)
    (self.time, self.isMemoryLocked) = (time, isMemoryLocked)
    (startedAt, startedUptime) = (time.now(), time.uptime())
  }
}
