internal import Configuration
internal import Connections
internal import ControlAPI
internal import CourierLink
internal import Daemon
internal import EventLoop
internal import Glibc
internal import JSON
internal import PingOne
internal import PushRelay
internal import Settings
internal import UnixSockets
internal import Vault

/// An assembled daemon, from a start to a crash, with the contents of its disk.
@EventLoop
final class Machine {
  let disk: Disk
  private let service: Service
  private let courier: CourierClient
  private let router: Router
  private let scheduler: RequestScheduler
  private let account = MemoryBudget(owners: 8)
  private var connections: [ControlConnection] = []
  private let diskFault: DiskFault

  static let configuration = """
    platform = \(Platform.url)
    issuer = https://auth.example/e-1/as
    client_id = desk
    geo = NorthAmerica
    """

  struct Unassembled: Error {}

  init(on disk: Disk, courier path: String, in world: World) throws {
    self.disk = disk
    let configuration = try Configuration(parsing: Self.configuration, file: "mfad.conf")
    let vault = try Vault(directory: disk.path, credential: "none", schema: DaemonSchema.current)
    courier = CourierClient(.socket(path: path), allowedOrigins: configuration.allowedOrigins) {
      try await vault.committed()
    }
    service = Service(
      vault: vault,
      courier: courier,
      description: .thisMachine(applicationID: configuration.applicationID),
      settings: Settings(configuration),
      isMemoryLocked: false,
      confinement: [],
      time: world.clock.source,
      posture: { [:] },
      writtenPosture: { RawJSON(reading: [:]) }
    )
    guard let router = Router(service: service) else { throw Unassembled() }
    self.router = router
    scheduler = RequestScheduler(time: world.clock.source)
    diskFault = DiskFault(try vault.database, seed: world.seed)
    try diskFault.set(world.disk)
    EventLoop.task { [service] in
      await service.resumePendingWork()
      await service.resume()
    }
  }

  /// Applies the current disk faults.
  func noticeDisk(of world: World) throws { try diskFault.set(world.disk) }

  /// Connects a user and returns the client's socket.
  func connect(_ owner: uid_t) throws -> Descriptor {
    let (ours, theirs) = try UnixSocket.pair()
    guard let caller = Caller(uid: owner, serviceUser: geteuid()) else { throw Unassembled() }
    let connection = ControlConnection(
      StreamConnection(ours),
      caller: caller,
      account: account,
      scheduler: scheduler,
      router: router,
      time: service.core.time,
      onClose: { [weak self] closed in self?.connections.removeAll { $0 === closed } },
      onOver: { _ in }
    )
    try connection.start()
    connections.append(connection)
    return theirs
  }

  /// Ends everything, like `kill -9`.
  ///
  /// Code that still runs reaches no peer, and a disk that is not used any more.
  func crash(leaving path: String) throws -> Disk {
    let left = try disk.copy(to: path)
    end()
    return left
  }

  func end() {
    for connection in connections { connection.close() }
    connections = []
    service.pingOne.poller.stopAll()
    service.relays.stopAll()
    courier.stop()
    disk.remove()
  }

  /// Truncates the WAL, so that the database file can be copied for each run.
  func emptyLog() throws { try service.core.vault.emptyLog() }
}
