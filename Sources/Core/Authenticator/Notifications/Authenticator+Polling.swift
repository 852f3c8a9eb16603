internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import JOSE
internal import Journal
internal import Time

extension Authenticator {
  private static let pollSeconds = 25
  private static let shortestBackOff = Duration.seconds(1)
  private static let longestBackOff = Duration.seconds(300)

  /// Fetches the pushes of an identity from now on, one request at a time.
  func startPolling(_ identity: Identity) {
    guard pollers[identity.id] == nil,
      (try? store.pushChannel(of: identity.owner))?.isPolled ?? true
    else { return }
    pollers[identity.id] = EventLoop.task { [weak self] in
      var backOff = Self.shortestBackOff
      var isCutOff = false
      while !Task.isCancelled {
        do {
          guard let self else { return }
          let mayGoOn = try await self.poll(identity)
          if isCutOff { self.refreshInBackground(identity) }
          isCutOff = false
          if mayGoOn {
            backOff = Self.shortestBackOff
            continue
          }
        } catch PlatformError.deviceUnknown { return } catch { isCutOff = true }
        let jitter = Duration.milliseconds(Int.random(in: 0...500))
        guard (try? await EventLoop.sleep(for: backOff + jitter)) != nil else { return }
        backOff = min(backOff * 2, Self.longestBackOff)
      }
    }
  }

  /// Goes on after a start: fetches for every identity that has accounts.
  package func resumePolling() throws {
    for identity in try identities() where identity.deviceID != nil {
      // Accounts that do not open are their owner's trouble and hold up nobody else's pushes.
      let isPaired = try store.unlessDamaged("account", of: identity.owner) {
        try store.accounts(of: identity.owner).contains { $0.isActive && $0.identity == identity.id }
      }
      if isPaired == true { startPolling(identity) }
    }
  }

  /// Ends the fetching of all pushes.
  package func stopPolling() {
    for poller in pollers.values { poller.cancel() }
    pollers = [:]
  }

  /// One request; what it brings and where to go on are stored together.
  ///
  /// Returns whether the next may follow at once: not when the platform did not wait and brought nothing.
  private func poll(_ identity: Identity) async throws -> Bool {
    let start = time.uptime()
    let batch = try await ask(identity) {
      try await $0.pushes(identity, after: identity.cursor, wait: Self.pollSeconds)
    }
    let cursor = batch.isCursorUnknown ? nil : batch.cursor
    try store.transaction { _ in
      for text in batch.pushes {
        // A push that does not verify must not hold up the others.
        guard let token = try? CompactJWS(parsing: text) else { continue }
        do { _ = try receive(token, for: identity) } catch let rejection as Push.Rejection {
          Journal.warning("a push was rejected", ["reason": rejection, "uid": identity.owner])
        } catch let error as RPCError where error == .tokenRejected { continue }
      }
      if cursor != identity.cursor { try store.setCursor(cursor, of: identity) }
    }
    identity.cursor = cursor
    return !batch.pushes.isEmpty || time.uptime() - start >= Self.shortestBackOff
  }
}
