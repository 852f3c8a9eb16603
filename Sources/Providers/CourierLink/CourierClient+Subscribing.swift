package import CourierProtocol
internal import EventLoop
package import WebAddress

extension CourierClient {
  /// Has the courier hold a subscription: a GET whose response has no end and is taken line by line.
  package func subscribe(to url: WebURL) async throws(CourierFailure) -> CourierSubscription {
    do { try await beforeSending() } catch { throw .cancelled }
    guard feeds.count < CourierLimits.maximumSubscriptions else { throw .busy }
    let id = try nextID()
    let feed = Feed(url)
    feeds[id] = feed
    sendWaiting()
    return CourierSubscription(id, feed, client: self)
  }

  func transmitFeeds(on connection: CourierConnection) {
    for (id, feed) in feeds where !feed.isSent {
      guard let frame = CourierFrame.encode(CourierOrder.subscribe(id, feed.url).serialized) else {
        settleFeed(id, .failure(.tooLarge))
        continue
      }
      feed.isSent = true
      connection.send(frame)
    }
  }

  func take(_ line: [UInt8], of id: ExchangeID) {
    guard let feed = feeds[id], !feed.take(line) else { return }
    tellCancelled(id)
    settleFeed(id, .failure(.busy))
  }

  func cancelFeed(_ id: ExchangeID) {
    guard feeds[id] != nil else { return }
    tellCancelled(id)
    settleFeed(id, .failure(.cancelled))
  }

  func settleFeed(_ id: ExchangeID, _ outcome: Result<CourierResponse, CourierFailure>) {
    feeds.removeValue(forKey: id)?.finish(outcome)
  }

  private func tellCancelled(_ id: ExchangeID) {
    guard feeds[id]?.isSent == true, let frame = CourierFrame.encode(CourierOrder.cancel(id).serialized)
    else { return }
    connection?.send(frame)
  }
}
