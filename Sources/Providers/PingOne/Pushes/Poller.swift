internal import ControlAPI
package import EventLoop
internal import Glibc
internal import JOSE
internal import JSONRPC
internal import Journal
internal import Time
internal import Vault

/// Fetches the pushes of identities by a long poll, one request of each at a time.
@EventLoop
package final class Poller {
  private let devices: Devices
  private let pushes: Pushes
  private let channels: PushChannels
  private var tasks: [String: Task<Void, Never>] = [:]
  /// Calls a handler when a platform answers again that could not be reached.
  package var whenBack: @EventLoop (Identity) -> Void = { _ in }

  private static let pollSeconds = 25
  private static let shortestPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(300)

  package init(devices: Devices, pushes: Pushes, channels: PushChannels) {
    (self.devices, self.pushes, self.channels) = (devices, pushes, channels)
    channels.whenChanged { [weak self] in try self?.follow($0) }
    devices.whenForgotten { [weak self] in self?.stop($0) }
    devices.owners.whenErased { [weak self] in self?.stop($0) }
  }

  package func isPolling(_ identity: Identity) -> Bool { tasks[identity.id] != nil }

  /// Fetches the pushes of an identity from now on.
  package func start(_ identity: Identity) {
    guard tasks[identity.id] == nil, (try? channels.channel(of: identity.owner))?.isPolled ?? true else {
      return
    }
    owners[identity.id] = identity.owner
    tasks[identity.id] = EventLoop.task { [weak self] in
      var backOff = BackOff(from: Self.shortestPause, to: Self.longestPause)
      var isCutOff = false
      while !Task.isCancelled {
        do {
          guard let self else { return }
          let mayGoOn = try await self.poll(identity)
          if isCutOff { self.whenBack(identity) }
          isCutOff = false
          if mayGoOn {
            backOff.reset()
            continue
          }
        } catch PlatformError.deviceUnknown { return } catch { isCutOff = true }
        let jitter = Duration.milliseconds(Int.random(in: 0...500))
        guard (try? await EventLoop.sleep(for: backOff.next() + jitter)) != nil else { return }
      }
    }
  }

  /// Resumes after a start: fetches for every identity that has accounts.
  package func resume() throws {
    for identity in try devices.allTrusted() {
      // Accounts that do not open are their owner's trouble and hold up nobody else's pushes.
      let isPaired = try devices.vault.sealer.unlessDamaged("account", of: identity.owner) {
        try pushes.paired.isPaired(identity)
      }
      if isPaired == true { start(identity) }
    }
  }

  /// Ends the fetching of all pushes.
  package func stopAll() {
    for task in tasks.values { task.cancel() }
    tasks = [:]
  }

  private var owners: [String: uid_t] = [:]

  private func stop(_ identity: Identity) {
    tasks.removeValue(forKey: identity.id)?.cancel()
    owners[identity.id] = nil
  }

  private func stop(_ owner: uid_t) {
    for (id, _) in owners.filter({ $0.value == owner }) {
      tasks.removeValue(forKey: id)?.cancel()
      owners[id] = nil
    }
  }

  private func follow(_ owner: uid_t) throws {
    for identity in try devices.trusted(of: owner) {
      if try channels.channel(of: owner).isPolled {
        if try pushes.paired.isPaired(identity) { start(identity) }
      } else {
        stop(identity)
      }
    }
  }

  /// One request; what it brings and where the next begins are stored together.
  ///
  /// Returns whether the next may follow at once: not when the platform did not wait and brought nothing.
  private func poll(_ identity: Identity) async throws -> Bool {
    let start = devices.time.uptime()
    let batch = try await devices.call(identity) {
      try await $0.pushes($1, after: $1.identity.cursor, wait: Self.pollSeconds)
    }
    guard let current = devices.current(identity) else { throw PlatformError.deviceUnknown }
    let cursor = batch.isCursorUnknown ? nil : batch.cursor
    try devices.vault.write { _ in
      for text in batch.pushes {
        // A push that does not verify must not hold up the others.
        guard let token = try? CompactJWS(parsing: text) else { continue }
        do { _ = try pushes.receive(token, for: current) } catch let rejection as Push.Rejection {
          Journal.warning("a push was rejected", ["reason": rejection, "uid": identity.owner])
        } catch let error as RPCError where error == .tokenRejected { continue }
      }
      if cursor != current.cursor { try devices.table.setCursor(cursor, of: current) }
    }
    return !batch.pushes.isEmpty || devices.time.uptime() - start >= Self.shortestPause
  }
}
