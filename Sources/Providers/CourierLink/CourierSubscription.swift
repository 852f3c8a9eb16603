package import CourierProtocol
package import EventLoop

/// A subscription at a relay, which the courier holds until it ends, is cancelled, or nobody holds it any more.
@EventLoop
package final class CourierSubscription {
  package enum Event {
    /// A line, without what ended it.
    case line([UInt8])
    /// The relay has ended the stream, or has not begun one: its response, without the lines.
    case end(CourierResponse)
  }

  private let id: ExchangeID
  private let feed: Feed
  private weak var client: CourierClient?

  init(_ id: ExchangeID, _ feed: Feed, client: CourierClient) {
    (self.id, self.feed, self.client) = (id, feed, client)
  }

  isolated deinit { client?.cancelFeed(id) }

  /// What comes next, for one who asks at a time.
  package func next() async throws(CourierFailure) -> Event { try await feed.next() }
}
