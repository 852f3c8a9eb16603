public import EventLoop
import Glibc
import HTTPServer
public import JSON
import Synchronization
public import Time

/// A running sandbox: a platform with one environment behind an HTTP server on this machine.
@EventLoop
public final class SandboxServer {
  private let server: HTTPServer
  private let tenant: Tenant
  private let dispatcher: Dispatcher

  /// Starts a sandbox; port 0 takes any free one, and with a path its state is kept in that file, and with
  /// another the flows of that directory are played; users who are named stand in the place of ann and bob.
  ///
  /// Self-service is only what a fresh one begins with. What was kept before goes or changes when nothing else can
  /// fail.
  public init(
    port: UInt16 = 0,
    data path: String? = nil,
    isFresh: Bool = false,
    flows directory: String? = nil,
    selfService: Bool = false,
    users: [RequestedUser] = [],
    configuration: String? = nil,
    time: TimeSource = .system
  ) throws {
    let flows = try directory.map { try FlowLibrary(directory: $0) } ?? FlowLibrary()
    let archive = try path.map { try Archive(path: $0, isFresh: isFresh) }
    let seed =
      try archive?.loadSeed()
      ?? Seed.random(now: time.now(), selfService: selfService, hasStandardUsers: users.isEmpty)
    let dispatcher = Dispatcher(archive: archive)
    let server = try HTTPServer(port: port) { request in await dispatcher.reply(to: request) }
    self.server = server
    self.dispatcher = dispatcher
    tenant = Tenant(url: OwnAddress.url(port: Int(server.port)), seed: seed, flows: flows, time: time)
    if let archive { try tenant.restore(from: archive) }
    try tenant.ensure(users)
    if let configuration { try DaemonConfiguration.write(announcement, to: configuration) }
    if let archive { try tenant.save(to: archive) }
    dispatcher.tenant = tenant
  }

  public var port: UInt16 { server.port }

  /// What whoever started the sandbox needs to know, as one line of JSON.
  public var announcement: JSON {
    .of([
      "url": tenant.url, "issuer": tenant.issuer, "environment": tenant.environment.id,
      "clientId": tenant.application.clientID, "application": tenant.application.id,
      "platformKey": tenant.platformKey.thumbprint, "adminToken": tenant.adminToken,
      "users": tenant.users.all.map {
        JSON.of(["id": $0.id, "username": $0.username, "password": $0.password])
      },
    ])
  }

  public func stop() {
    server.stop()
    dispatcher.close()
  }
}

/// Where a sandbox is reached: by two names of this machine, and at one of its ports.
enum OwnAddress {
  static let names = ["127.0.0.1", "localhost"]
  /// The port that nobody names.
  private static let standardPort = 80

  static func url(port: Int) -> String {
    "http://127.0.0.1" + (port == standardPort ? "" : ":\(port)")
  }

  /// What clients may write in `Host`.
  static func hosts(port: Int) -> [String] {
    names.map { "\($0):\(port)" } + (port == standardPort ? names : [])
  }
}

/// The program's time on the event loop, and what it ends with.
enum ProgramLoop {
  private static let status = Atomic<Int32>(0)

  /// Runs what the program does; without an exit code it goes on until `end`.
  static func run(_ body: @escaping @EventLoop @Sendable () async -> Int32?) -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    EventLoop.task { if let code = await body() { end(code) } }
    EventLoop.run()
    return status.load(ordering: .relaxed)
  }

  @EventLoop
  static func end(_ code: Int32) {
    status.store(code, ordering: .relaxed)
    EventLoop.stop()
  }
}
