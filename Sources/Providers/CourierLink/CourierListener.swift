package import CourierProtocol
package import EventLoop

/// A listener of the courier on this machine's loopback, which waits for the one redirect that ends a sign-on.
///
/// It listens until its time is over, it is cancelled, or nobody holds it any more, also when the redirect has come.
@EventLoop
package final class CourierListener {
  /// The port on which the browser finds it, as 127.0.0.1 or localhost.
  package let port: UInt16

  private let id: ExchangeID
  private let listening: Listening
  private weak var client: CourierClient?

  init(_ id: ExchangeID, _ listening: Listening, port: UInt16, client: CourierClient) {
    self.id = id
    self.listening = listening
    self.port = port
    self.client = client
  }

  isolated deinit { cancel() }

  /// Waits for the redirect and returns its query exactly as the browser sent it.
  ///
  /// It can be asked again: a task that is cancelled ends its own wait and not the listening, and what came is kept.
  package func query() async throws(CourierFailure) -> String { try await listening.query() }

  /// Ends the listening; whoever waits hears that it was cancelled.
  package func cancel() { client?.cancelListening(id) }
}
