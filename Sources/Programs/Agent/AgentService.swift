internal import Bus
internal import ControlClient
internal import EventLoop
import Glibc
internal import Journal
internal import Synchronization
internal import SystemCalls

/// Connects the agent to signals and to the session bus, and ends it.
@EventLoop
final class AgentService {
  private let options: AgentOptions
  private nonisolated let code = Atomic(AgentProgram.ExitCode.done.rawValue)
  private var signals: Signals?
  private var bus: Bus?
  private var lock: SessionLock?
  private var board: NotificationPresenter?

  /// Maximum wait for the notification server to close all notifications before the agent ends.
  private static let partingTime = Duration.seconds(10)

  nonisolated init(_ options: AgentOptions) { self.options = options }

  nonisolated var exitCode: Int32 { code.load(ordering: .relaxed) }

  /// Connects to the session bus and to the daemon, and shows pending requests from then on.
  func start() {
    do throws(SystemError) {
      signals = try Signals([SIGTERM, SIGINT]) { [weak self] _ in self?.leave() }
    } catch {
      return fail(.failed, "cannot handle signals")
    }
    let bus: Bus
    do throws(BusError) { bus = try Bus(.session) } catch {
      return fail(.noBus, "cannot connect to the session bus")
    }
    self.bus = bus
    bus.onEnd = { [weak self] in self?.loseBus() }

    let server = NotificationServer(bus)
    let lock = SessionLock(bus)
    let link = DaemonLink(SocketChoice(flag: options.socket))
    let board = NotificationPresenter(server, Requests(link), link, lock)
    bus.onHead = { signal in
      lock.takeHead(signal)
      return server.wants(signal) || BusName.isChange(signal)
    }
    bus.onSignal = { signal in
      server.take(signal)
      lock.take(signal)
    }
    (self.lock, self.board) = (lock, board)
    EventLoop.task { [weak self] in
      do throws(BusError) {
        try await server.listen()
        try await lock.listen()
      } catch {
        self?.loseBus()
        return
      }
      link.connect()
    }
  }

  /// Closes all notifications, because the agent no longer handles their buttons, and ends the program.
  private func leave() {
    guard let board else { return EventLoop.stop() }
    EventLoop.after(Self.partingTime) { EventLoop.stop() }
    EventLoop.task { [bus] in
      await board.clear()
      bus?.onEnd = nil
      bus?.close()
      EventLoop.stop()
    }
  }

  /// Ends the program with an error.
  ///
  /// The service manager then restarts it; by then the bus may work again.
  private func loseBus() { fail(.failed, "lost the session bus, or it refused a subscription") }

  private func fail(_ code: AgentProgram.ExitCode, _ message: StaticString) {
    Journal.error(message)
    self.code.store(code.rawValue, ordering: .relaxed)
    EventLoop.stop()
  }
}
