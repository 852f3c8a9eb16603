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

  /// Starts a sandbox.
  ///
  /// Port 0 takes any free port. With `path`, that file stores the state. With `directory`, the flow files in
  /// it can be played. The requested users replace ann and bob.
  ///
  /// `selfService` applies only to a new state. The stored state is changed last, after the other steps that
  /// can fail.
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

  /// Data for the process that started the sandbox, as one line of JSON.
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

/// The URL of a sandbox and its host names; both names denote this machine.
enum OwnAddress {
  static let names = ["127.0.0.1", "localhost"]
  /// The default port of HTTP, which URLs omit.
  private static let standardPort = 80

  static func url(port: Int) -> String {
    "http://127.0.0.1" + (port == standardPort ? "" : ":\(port)")
  }

  /// Valid values of the `Host` header.
  static func hosts(port: Int) -> [String] {
    names.map { "\($0):\(port)" } + (port == standardPort ? names : [])
  }
}

/// Runs the event loop and keeps the exit code of the program.
enum ProgramLoop {
  private static let status = Atomic<Int32>(0)

  /// Runs `body` and returns the exit code; if `body` returns `nil`, the program runs until `end`.
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
