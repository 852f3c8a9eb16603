package import CourierProtocol
internal import EventLoop

extension CourierClient {
  /// Has the courier wait for one redirect of a browser; returns when it listens.
  ///
  /// The path is that of the redirect URI, as the browser will send it. When the task is cancelled, so is the listener.
  package func listen(path: String, timeout: Duration) async throws(CourierFailure) -> CourierListener {
    let redirect = ExpectedRedirect(path: path, timeout: timeout)
    if let problem = redirect.problem { throw problem }
    guard listenings.count < CourierLimits.maximumListeners else { throw .busy }
    if Task.isCancelled { throw .cancelled }
    let id = try nextID()
    let listening = Listening(redirect, until: uptime + timeout)
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

  func cancelListening(_ id: ExchangeID) {
    guard let listening = listenings[id] else { return }
    if listening.isSent, let frame = CourierFrame.encode(CourierOrder.cancel(id).serialized) {
      connection?.send(frame)
    }
    settleListening(id, .failure(.cancelled))
  }

  func transmitListenings(on connection: CourierConnection) {
    for (id, listening) in listenings where !listening.isSent {
      // The courier has not more time than is left, so that it gives up before we do.
      let rest = ExpectedRedirect(path: listening.redirect.path, timeout: listening.deadline - uptime)
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
    // A courier that has not said where it listens cannot have heard anything.
    if listenings[id]?.isOpen == true { settleListening(id, .success(query)) }
  }

  func settleListening(_ id: ExchangeID, _ outcome: Result<String, CourierFailure>) {
    listenings.removeValue(forKey: id)?.finish(outcome)
  }

  private func giveUpListening(_ id: ExchangeID) {
    settleListening(id, .failure(.timeout))
    dropHanging()
  }
}
