internal import Connections
internal import CourierProtocol
internal import CurlClient
internal import EventLoop
internal import Journal
internal import UnixSockets
internal import WebAddress

extension CourierSession {
  func subscribe(_ id: ExchangeID, to url: WebURL) {
    let origin = url.origin.text
    do throws(CourierFailure) {
      try courier.maySubscribe(to: url)
      subscriptions[id] = try Subscription(to: url, client: courier.client, alarm: courier.alarm) {
        [weak self] line in
        self?.hand(line, of: id)
      } onEnd: { [weak self] outcome in
        Journal.debug("subscription ended", ["origin": origin])
        self?.ended(id, outcome)
      }
      courier.subscriptionBegan()
      Journal.debug("subscription held", ["origin": origin])
    } catch {
      Journal.debug("subscription refused", ["origin": origin, "failure": error.rawValue])
      send(.failure(id, error))
    }
  }

  /// Ends a subscription without a word; false if there is none of that id.
  @discardableResult
  func endSubscription(_ id: ExchangeID) -> Bool {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return false }
    subscription.cancel()
    courier.subscriptionEnded()
    return true
  }

  private func hand(_ line: [UInt8], of id: ExchangeID) {
    guard subscriptions[id] != nil else { return }
    // A relay that says more than the peer takes has to begin anew.
    guard stream.unsentCount <= Self.maximumUnsent else {
      endSubscription(id)
      return send(.failure(id, .busy))
    }
    send(.line(id, line))
  }

  private func ended(_ id: ExchangeID, _ outcome: Result<HTTPResponse, CourierFailure>) {
    guard endSubscription(id) else { return }
    switch outcome {
    case .success(let response): send(.response(id, CourierResponse(response)))
    case .failure(let failure): send(.failure(id, failure))
    }
  }
}
