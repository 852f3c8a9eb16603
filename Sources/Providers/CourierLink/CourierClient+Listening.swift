public import CourierProtocol
internal import EventLoop
public import Glibc

extension CourierClient {
  /// Makes the courier listen for one browser redirect and returns when it listens.
  ///
  /// Cancelling the task cancels the listener.
  public func listen(
    for redirect: ExpectedRedirect,
    of owner: uid_t
  ) async throws(CourierFailure) -> CourierListener {
    if let problem = redirect.problem { throw problem }
    guard hasListener(for: owner), listenings.count < CourierLimits.maximumListeners else { throw .busy }
    if Task.isCancelled { throw .cancelled }
    let id = try nextID()
    let listening = Listening(redirect, of: owner, until: uptime + redirect.timeout)
    listenings[id] = listening
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        listening.opening = continuation
        sendWaiting()
      }
    } onCancel: {
      EventLoop.task { self.cancelListening(id) }
    }
    return CourierListener(id, listening, port: try outcome.get(), client: self)
  }

  /// True if `owner` may have another listener; the limit per owner leaves listeners for other owners.
  public func hasListener(for owner: uid_t) -> Bool {
    listenings.values.count { $0.owner == owner } < CourierLimits.maximumListenersPerOwner
  }

  func cancelListening(_ id: ExchangeID) {
    guard let listening = listenings[id] else { return }
    if listening.isSent, let frame = CourierFrame.encode(CourierOrder.cancel(id).serialized) {
      connection?.send(frame)
    }
    settleListening(id, .failure(.cancelled))
  }

  func transmitListenings(on connection: CourierConnection) {
    for (id, listening) in listenings where !listening.isSent {
      // The courier gets only the remaining time, so that its timeout expires before the timer of this
      // client.
      var rest = listening.redirect
      rest.timeout = listening.deadline - uptime
      guard rest.timeout > .zero, let frame = CourierFrame.encode(CourierOrder.listen(id, rest).serialized)
      else {
        settleListening(id, .failure(.timeout))
        continue
      }
      listening.isSent = true
      listening.timer = EventLoop.after(grace) { self.giveUpListening(id) }
      connection.send(frame)
    }
  }

  func opened(_ id: ExchangeID, on port: UInt16) {
    guard let listening = listenings[id], listening.isSent, !listening.isOpen else { return }
    listening.timer?.cancel()
    listening.timer = EventLoop.after(listening.deadline - uptime + grace) { self.giveUpListening(id) }
    listening.open(on: port)
  }

  func redirected(_ id: ExchangeID, _ query: String) {
    // Ignore a redirect that arrives before the courier has reported the port. Keep the entry: the courier
    // holds the port until it gets `cancel`.
    if let listening = listenings[id], listening.isOpen { listening.finish(.success(query)) }
  }

  func settleListening(_ id: ExchangeID, _ outcome: Result<String, CourierFailure>) {
    listenings.removeValue(forKey: id)?.finish(outcome)
  }

  private func giveUpListening(_ id: ExchangeID) {
    settleListening(id, .failure(.timeout))
    dropHanging()
  }
}
