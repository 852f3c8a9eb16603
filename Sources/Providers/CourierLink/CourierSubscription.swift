public import CourierProtocol
public import EventLoop
public import WebAddress

/// A subscription at a relay; the courier holds it until the stream ends or this object is deallocated.
@EventLoop
public final class CourierSubscription {
  public enum Event: Sendable {
    /// A line without its terminator.
    case line([UInt8])
    /// The relay has ended or refused the stream. The response has no lines.
    case end(CourierResponse)
  }

  private let id: ExchangeID
  private let feed: Feed
  private weak var client: CourierClient?

  init(_ id: ExchangeID, _ feed: Feed, client: CourierClient) {
    (self.id, self.feed, self.client) = (id, feed, client)
  }

  isolated deinit { client?.cancelFeed(id) }

  /// Waits for the next event; only one call at a time is allowed.
  public func next() async throws(CourierFailure) -> Event { try await feed.next() }
}

/// One subscription that the courier holds, with the lines that the subscriber has not read yet.
@EventLoop
final class Feed {
  let url: WebURL
  var isSent = false
  private var lines: [[UInt8]] = []
  private var end: Result<CourierResponse, CourierFailure>?
  private var waiter: CheckedContinuation<Void, Never>?

  private static let mostLines = 256

  init(_ url: WebURL) { self.url = url }

  /// Adds a line; returns false if the buffer is full.
  func take(_ line: [UInt8]) -> Bool {
    guard lines.count < Self.mostLines else { return false }
    lines.append(line)
    wake()
    return true
  }

  /// Ends the stream; the buffered lines can still be read.
  func finish(_ outcome: Result<CourierResponse, CourierFailure>) {
    end = end ?? outcome
    wake()
  }

  /// Returns the next line, or the relay's response at the end of the stream.
  func next() async throws(CourierFailure) -> CourierSubscription.Event {
    while lines.isEmpty, end == nil, !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter = $0 }
      } onCancel: {
        EventLoop.task { self.wake() }
      }
    }
    if !lines.isEmpty { return .line(lines.removeFirst()) }
    guard let end else { throw .cancelled }
    return .end(try end.get())
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }
}

extension CourierClient {
  /// Makes the courier hold a subscription: a GET request with an endless response, read line by line.
  public func subscribe(to url: WebURL) async throws(CourierFailure) -> CourierSubscription {
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

  fileprivate func cancelFeed(_ id: ExchangeID) {
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
