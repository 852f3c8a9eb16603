internal import Connections
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import Journal
internal import SystemCalls
internal import Time
internal import UnixSockets
internal import Vault

/// Accepts connections, identifies their users and enforces the limits per user.
@EventLoop
final class ControlServer {
  /// Maximum number of connections, in total and per user.
  var limits: (total: Int, perUser: Int)

  private let router: Router
  private let time: TimeSource
  private let scheduler: RequestScheduler
  private let account: MemoryBudget
  private let entrance: ConnectionGate
  private var listener: Listener?
  private var sweep: Timer?
  /// Open connections, and closed connections until their last request is done.
  private var connections: [ObjectIdentifier: ControlConnection] = [:]
  /// Number of open connections, in total and per user.
  private var openCount = 0 { didSet { router.counters.connections = openCount } }
  private var counts: [uid_t: Int] = [:]

  /// Number of connections that only users without a connection may open; the last of them are reserved for
  /// root.
  private static let reserved = 32
  private static let reservedForRoot = 2
  private static let sweepInterval = Duration.seconds(5)

  init(
    listener: Descriptor,
    router: Router,
    users: UserLookup,
    memory account: MemoryBudget,
    time: TimeSource,
    limits: (total: Int, perUser: Int)
  ) {
    (self.router, self.time, self.limits) = (router, time, limits)
    entrance = ConnectionGate(users)
    (scheduler, self.account) = (RequestScheduler(time: time), account)
    account.onRoom = { [weak self] in
      self?.connections.values.forEach { $0.noteRoom() }
    }
    self.listener = Listener(
      listener,
      refusal: RPCReply(id: .null, error: .rateLimited).line,
      onShortage: { Journal.error("a connection could not be accepted", ["error": $0]) }
    ) { [weak self] in self?.meet($0) }
  }

  func start() throws(SystemError) { try listener?.start() }

  /// Stops accepting connections and lets each open one answer its requests.
  func finish() {
    listener?.stop()
    entrance.close()
    for connection in connections.values { connection.finish() }
  }

  /// True while a connection is open.
  var isBusy: Bool { openCount > 0 }

  /// Closes all connections immediately.
  func close() {
    listener?.stop()
    entrance.close()
    for connection in Array(connections.values) { connection.close() }
  }

  private func meet(_ client: Descriptor) {
    entrance.meet(client, hasRoom: { mayWait($0) }) { [weak self] in self?.serve($0, $1) }
  }

  private func serve(_ client: Descriptor, _ caller: Caller) {
    guard hasRoom(for: caller.uid) else { return StreamConnection.refuse(client, with: .rateLimited) }
    let connection = ControlConnection(
      StreamConnection(client),
      caller: caller,
      account: account,
      scheduler: scheduler,
      router: router,
      time: time,
      onClose: { [weak self] in self?.noteClosed($0) },
      onOver: { [weak self] in self?.connections[ObjectIdentifier($0)] = nil }
    )
    do { try connection.start() } catch {
      return Journal.error("a connection could not be served", ["error": error])
    }
    connections[ObjectIdentifier(connection)] = connection
    openCount += 1
    counts[caller.uid, default: 0] += 1
    scheduleSweep()
  }

  private func hasRoom(for uid: uid_t) -> Bool {
    let held = counts[uid] ?? 0
    guard held < limits.perUser, openCount < limits.total else { return false }
    let free = limits.total - openCount
    if free <= Self.reservedForRoot { return uid == 0 }
    return free > Self.reserved || held == 0
  }

  /// True if another connection of the user may wait for the user lookup.
  private func mayWait(_ uid: uid_t) -> Bool {
    (counts[uid] ?? 0) + (entrance.waiting[uid] ?? 0) < limits.perUser
  }

  private func noteClosed(_ connection: ControlConnection) {
    openCount -= 1
    let count = (counts[connection.caller.uid] ?? 1) - 1
    counts[connection.caller.uid] = count > 0 ? count : nil
  }

  /// Checks connections for expired timeouts every `sweepInterval`.
  ///
  /// No timer runs without connections.
  private func scheduleSweep() {
    guard sweep == nil else { return }
    sweep = EventLoop.after(Self.sweepInterval) { [weak self] in
      guard let self else { return }
      self.sweep = nil
      for connection in Array(self.connections.values) {
        connection.refuseIfStarved()
        connection.closeIfAbandoned()
      }
      if !self.connections.isEmpty { self.scheduleSweep() }
    }
  }
}
