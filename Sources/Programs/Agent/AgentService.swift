internal import Bus
internal import ControlClient
internal import EventLoop
import Glibc
internal import Journal
internal import Synchronization
internal import SystemCalls

/// The agent in its surroundings: the signals, the session's bus, the end.
@EventLoop
final class AgentService {
  private let options: AgentOptions
  private nonisolated let code = Atomic(AgentProgram.ExitCode.done.rawValue)
  private var signals: Signals?
  private var bus: Bus?
  private var lock: SessionLock?
  private var board: Board?

  /// How long a notification server that does not answer is waited for at the end.
  private static let partingTime = Duration.seconds(10)

  nonisolated init(_ options: AgentOptions) { self.options = options }

  nonisolated var exitCode: Int32 { code.load(ordering: .relaxed) }

  /// Begins to show what waits.
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
    let board = Board(server, Requests(link), link, lock)
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

  /// Takes away what is shown, which nobody would answer to any more.
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

  /// Whoever starts this program again may find one that serves.
  private func loseBus() { fail(.failed, "lost the session bus, or it refused a subscription") }

  private func fail(_ code: AgentProgram.ExitCode, _ message: StaticString) {
    Journal.error(message)
    self.code.store(code.rawValue, ordering: .relaxed)
    EventLoop.stop()
  }
}
