/// What the clients of a server may take of it.
package struct HTTPServerLimits: Sendable {
  /// The most connections; further ones wait to be accepted.
  package var connections: UInt32 = 256
  /// How long a connection may be silent, in seconds.
  package var idleSeconds: UInt32 = 60
  /// How long a connection may last, whatever it does; without one as long as it is not silent.
  package var lifetime: Duration?
  /// What a connection has in memory: a head that does not fit is refused.
  package var connectionMemory = 64 * 1024
  /// The largest body of a request.
  package var body = 1024 * 1024

  /// The limits of a server for trying and testing.
  package init() {}
}
