public import CourierProtocol
public import EventLoop
public import WebAddress

/// A subscription at a relay, which the courier holds until it ends, is cancelled, or nobody holds it any more.
@EventLoop
public final class CourierSubscription {
  public enum Event: Sendable {
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
  public func next() async throws(CourierFailure) -> Event { try await feed.next() }
}

/// One subscription that the courier holds, with the lines that nobody has taken yet.
@EventLoop
final class Feed {
  let url: WebURL
  var isSent = false
  private var lines: [[UInt8]] = []
  private var end: Result<CourierResponse, CourierFailure>?
  private var waiter: CheckedContinuation<Void, Never>?

  private static let mostLines = 256

  init(_ url: WebURL) { self.url = url }

  /// Takes a line; false if there are more than anybody takes.
  func take(_ line: [UInt8]) -> Bool {
    guard lines.count < Self.mostLines else { return false }
    lines.append(line)
    wake()
    return true
  }

  /// There will be no more lines; those that came are still taken.
  func finish(_ outcome: Result<CourierResponse, CourierFailure>) {
    end = end ?? outcome
    wake()
  }

  /// The next line, or how the relay ended it.
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
  /// Has the courier hold a subscription: a GET whose response has no end and is taken line by line.
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
