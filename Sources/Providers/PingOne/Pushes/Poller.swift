internal import ControlAPI
public import EventLoop
internal import Glibc
internal import JOSE
internal import JSON
internal import JSONRPC
internal import Journal
internal import Time
internal import Vault
internal import WebAddress

/// Fetches the pushes of identities by long polls; many identities of one platform share a poll.
@EventLoop
public final class Poller {
  let devices: Devices
  private let pushes: Pushes
  private let channels: PushChannels
  private(set) var groups: [WebURL: [PollGroup]] = [:]
  /// The group that polls for each identity.
  private var polled: [OwnedKey: PollGroup] = [:]
  /// Throttles the signing of polls for many identities, so that clients do not wait for all signatures.
  private let proving = Throttle(share: 2)
  /// Members with a failed part of a shared poll, and the time until which they are excluded.
  private var ailing: [OwnedKey: (backOff: BackOff, until: Duration)] = [:]
  private var reachabilityObservers: [@EventLoop (Identity) -> Void] = []

  static let pollSeconds = 25
  private static let shortestPause = Duration.seconds(1)
  /// Pause between rounds of separate polls; the platform responds to these polls without waiting for pushes.
  private static let pauseInTurn = Duration.seconds(3)
  /// Once this number of groups exists, a new identity joins the smallest group of its platform.
  private static let fewestGroups = 16

  public init(devices: Devices, pushes: Pushes, channels: PushChannels) {
    (self.devices, self.pushes, self.channels) = (devices, pushes, channels)
    channels.whenChanged { [weak self] in try self?.follow($0) }
    devices.whenForgotten { [weak self] in self?.stop($0) }
    // Another request has shown that the platform is reachable.
    devices.whenReachableAgain { [weak self] in self?.groups[$0]?.forEach { $0.askAgain() } }
    devices.core.owners.whenErased { [weak self] owner in
      self?.stop(self?.polled.keys.filter { $0.owner == owner } ?? [])
    }
  }

  /// Calls a handler when the unreachable platform of a polled identity responds again.
  func whenReachableAgain(_ handler: @escaping @EventLoop (Identity) -> Void) {
    reachabilityObservers.append(handler)
  }

  public func isPolling(_ identity: Identity) -> Bool {
    polled[identity.ownedKey] != nil
  }

  /// Starts fetching the pushes of an identity.
  public func start(_ identity: Identity) {
    guard !isPolling(identity), (try? channels.channel(of: identity.owner))?.isPolled ?? true else { return }
    let group = group(for: identity.url)
    polled[identity.ownedKey] = group
    group.add(identity.ownedKey)
  }

  /// Starts polling for each trusted identity with an active account, after a start of the daemon.
  ///
  /// It needs no key.
  public func resume() async throws {
    try await devices.eachTrusted { if try pushes.paired.table.isPaired($0) { start($0) } }
  }

  /// Stops fetching pushes.
  public func stopAll() {
    for group in groups.values.joined() { group.stop() }
    (groups, polled) = ([:], [:])
  }

  private func stop(_ identity: Identity) { stop([identity.ownedKey]) }

  private func stop(_ gone: [OwnedKey]) {
    for member in gone {
      ailing[member] = nil
      polled.removeValue(forKey: member)?.remove(member)
    }
    groups = groups.mapValues { $0.filter { !$0.members.isEmpty } }
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

  /// Returns the platform's smallest group; creates a group while few exist or if the smallest is full.
  private func group(for url: WebURL) -> PollGroup {
    let smallest = groups[url, default: []].min { $0.members.count < $1.members.count }
    let count = groups.values.reduce(0) { $0 + $1.count }
    if count >= Self.fewestGroups, let smallest, smallest.members.count < DeviceService.mostPolled {
      return smallest
    }
    let group = PollGroup(time: devices.core.time) { [weak self] in
      try await self?.fetch($0) ?? false
    } whenReachableAgain: { [weak self] in
      guard let self, let identity = try? self.devices.identity($0.id) else { return }
      for observer in self.reachabilityObservers { observer(identity) }
    }
    groups[url, default: []].append(group)
    return group
  }

  /// Polls once for the members of a group.
  ///
  /// Returns true if the next poll may follow immediately. Returns false if the platform responded early
  /// without pushes.
  private func fetch(_ members: [OwnedKey]) async throws -> Bool {
    let start = devices.core.time.uptime()
    let hasNews: Bool
    if let first = members.first, members.count == 1 {
      hasNews = try await fetch(first, wait: Self.pollSeconds)
    } else {
      do { hasNews = try await fetchTogether(members) } catch let error as PlatformError where error.isAnswer
      {
        // Poll for each member separately if the platform refuses the shared poll.
        return try await fetchInTurn(members)
      }
    }
    return hasNews || devices.core.time.uptime() - start >= Self.shortestPause
  }

  private func fetchInTurn(_ members: [OwnedKey]) async throws -> Bool {
    for member in members {
      // An error response for one member must not stop the polls for the others.
      do { _ = try await fetch(member, wait: 0) } catch let error as PlatformError where error.isAnswer {}
    }
    try await EventLoop.sleep(for: Self.pauseInTurn)
    return true
  }

  /// Sends one request for one identity; returns true if it brought pushes.
  func fetch(_ member: OwnedKey, wait: Int) async throws -> Bool {
    guard let identity = try devices.identity(member.id) else { return false }
    do {
      let batch = try await devices.call(identity) {
        try await $0.pushes($1, after: $1.identity.cursor, wait: wait)
      }
      guard let current = devices.current(identity) else { throw PlatformError.deviceUnknown }
      return try take(batch, for: current)
    } catch PlatformError.deviceUnknown {
      stop(identity)
      throw PlatformError.deviceUnknown
    }
  }

  /// Stores the pushes and the new cursor of a poll in one transaction.
  func take(_ batch: PushBatch, for identity: Identity) throws -> Bool {
    let cursor = batch.isCursorUnknown ? nil : batch.cursor
    try devices.core.vault.write { _ in
      for text in batch.pushes {
        // A push that does not verify must not block the others.
        guard let token = try? CompactJWS(parsing: text) else { continue }
        do { _ = try pushes.receive(token, for: identity) } catch let rejection as Push.Rejection {
          Journal.warning("a push was rejected", ["reason": rejection, "uid": identity.owner])
        } catch let error as RPCError where error == .tokenRejected { continue }
      }
      if cursor != identity.cursor { try devices.table.setCursor(cursor, of: identity) }
    }
    // Pause if the platform repeats the same pushes.
    return !batch.pushes.isEmpty && cursor != identity.cursor
  }
}

extension PlatformError {
  /// True if the request got a response; only `unreachable` means that it got none.
  fileprivate var isAnswer: Bool {
    if case .unreachable = self { return false }
    return true
  }
}

extension Poller {
  private static let provedAtOnce = 8

  /// Polls for all members in one request; returns true if it brought pushes.
  private func fetchTogether(_ members: [OwnedKey]) async throws -> Bool {
    let able = members.filter { ailing[$0].map { $0.until <= devices.core.time.uptime() } ?? true }
    let speaker = try able.lazy.compactMap { try self.devices.identity($0.id) }.first(where: \.isTrusted)
    guard let speaker else { return false }
    var asked: [String: OwnedKey] = [:]
    let parts: JSONObject
    do {
      parts = try await devices.call(speaker) { service, credentials in
        // Each attempt has a new proof ID, which the parts of all devices contain.
        let id = try DeviceProof.freshID()
        let polls: [Poll]
        (asked, polls) = try await self.polls(of: able, in: id)
        return try await service.poll(polls, provenBy: id, credentials, wait: Self.pollSeconds)
      }
    } catch PlatformError.deviceUnknown {
      // `Devices.call` has reset the identity. Another member sends the next poll.
      return false
    }
    var hasNews = false
    for part in parts.members {
      guard let member = asked[part.name] else { continue }
      hasNews = try await take(part.value, for: member, part.name) || hasNews
    }
    return hasNews
  }

  private func polls(of members: [OwnedKey], in id: String) async throws -> ([String: OwnedKey], [Poll]) {
    var asked: [String: OwnedKey] = [:]
    var polls: [Poll] = []
    for first in stride(from: 0, to: members.count, by: Self.provedAtOnce) {
      try Task.checkCancellation()
      try await proving.run {
        for member in members[first...].prefix(Self.provedAtOnce) {
          // An owner with keys that cannot be unsealed does not block the others.
          guard let identity = try devices.identity(member.id), identity.isTrusted,
            let poll = try? Poll(of: identity, provenBy: devices.deviceKey(of: identity), in: id)
          else { continue }
          asked[poll.device] = member
          polls.append(poll)
        }
      }
    }
    return (asked, polls)
  }

  /// Processes one member's part of a shared poll; a failure excludes only this member, for a while.
  private func take(_ part: JSON, for member: OwnedKey, _ device: String) async throws -> Bool {
    guard let identity = try devices.identity(member.id), identity.deviceID == device else { return false }
    do {
      let hasNews: Bool
      do {
        hasNews = try take(devices.service.open(part, with: devices.credentials(of: identity)), for: identity)
      } catch PlatformError.deviceUnknown {
        // A separate poll shows if the device has newer keys or the platform no longer knows it.
        hasNews = try await fetch(member, wait: 0)
      }
      ailing[member] = nil
      return hasNews
    } catch {
      if Task.isCancelled { throw error }
      Journal.warning("one device's part of a shared poll failed", ["uid": member.owner])
      var backOff = ailing[member]?.backOff ?? BackOff(from: .seconds(1), to: .seconds(300))
      ailing[member] = (backOff, devices.core.time.uptime() + backOff.next())
      ailing[member]?.backOff = backOff
      return false
    }
  }
}
