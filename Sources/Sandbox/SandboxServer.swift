package import EventLoop
import HTTPServer
package import JSON
import OpenSSL
package import Time

/// A running sandbox: a platform with one environment behind an HTTP server on this machine.
@EventLoop
package final class SandboxServer {
  private let server: HTTPServer
  private let tenant: Tenant

  /// Starts a sandbox with a fresh seed; port 0 takes any free one.
  package init(port: UInt16 = 0, time: TimeSource = .system) throws {
    let dispatcher = Dispatcher()
    let server = try HTTPServer(port: port) { request in await dispatcher.reply(to: request) }
    self.server = server
    tenant = Tenant(
      url: "http://127.0.0.1:\(server.port)",
      seed: try .random(now: time.now()),
      clock: SandboxClock(time)
    )
    dispatcher.tenant = tenant
  }

  /// The port that the sandbox listens on.
  package var port: UInt16 { server.port }

  /// What whoever started the sandbox needs to know, as one line of JSON.
  package var announcement: JSON {
    [
      "url": .string(tenant.url), "issuer": .string(tenant.issuer),
      "environment": .id(tenant.environment.id), "clientId": .string(tenant.application.clientID),
      "application": .id(tenant.application.id), "platformKey": .string(tenant.platformKey.thumbprint),
      "adminToken": .string(tenant.adminToken),
      "users": .array(
        tenant.users.all.map { user in
          .present([
            ("id", .id(user.id)), ("username", .string(user.username)),
            ("password", user.password.map { .string($0) }),
          ])
        }
      ),
    ]
  }

  /// Ends all connections and stops listening.
  package func stop() { server.stop() }
}
