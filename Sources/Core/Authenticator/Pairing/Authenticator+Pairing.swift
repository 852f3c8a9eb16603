internal import Configuration
package import ControlAPI
internal import EventLoop
package import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import Time

extension Authenticator {
  private static let waitingPairings = 8
  private static let pairingLifetime = 600
  private static let resumptionDelay = Duration.seconds(5)

  /// Pairs with the user that a pairing key was made for.
  package func pair(_ typed: String, owner: uid_t) async throws -> PairingInfo {
    let identity = try await requireIdentity(of: owner)
    guard let key = PairingKey(typed) else { throw RPCError.pairingKey }
    return try await guardingPairing(of: owner) {
      try await finish(try unfinishedPairing(key, of: owner) ?? newPairing(key, identity))
    }
  }

  /// The pairing that this key began, when only the word on its passcode is missing.
  private func unfinishedPairing(_ key: PairingKey, of owner: uid_t) throws -> PairingRecord? {
    try store.pairings(of: owner).first { $0.state == .activating && $0.key == key.text }
  }

  private func newPairing(_ key: PairingKey, _ identity: Identity) throws -> PairingRecord {
    try checkRoomForAccount(of: identity.owner)
    try takeRoom(of: identity.owner)
    let record = PairingRecord(
      id: try Self.makeID(),
      owner: identity.owner,
      identity: identity.id,
      state: .approved,
      environment: nil,
      user: nil,
      key: key.text,
      account: nil,
      expiresAt: time.now().adding(seconds: Self.pairingLifetime)
    )
    try store.insertPairing(record)
    return record
  }

  /// Carries a pairing out; one that cannot be is left in a state from which it can be gone on with, or removed.
  private func finish(_ record: PairingRecord) async throws -> PairingInfo {
    do { return try await carryOut(record) } catch {
      switch error {
      case PlatformError.refused, PlatformError.deviceUnknown, PlatformError.elsewhere:
        try? store.deletePairing(record.id)
      // What a token asked for waits for its owner's word again. A typed key can be typed again: the platform
      // gives it the same answer, and one that waits for the word on its passcode is gone on with.
      default:
        try? record.user == nil ? store.dropUnansweredPairing(record.id) : store.returnPairing(record.id)
      }
      throw error
    }
  }

  /// What a verified ID token asks to pair; `nil` when there is nothing to do.
  package func pairingRequest(of token: IDToken, owner: uid_t) async throws -> PairingRequest? {
    _ = try await requireIdentity(of: owner)
    guard let claim = token.claims[configuration.pairingClaim] else { return nil }
    let now = time.now()
    guard let key = claim["key"]?.string.flatMap(PairingKey.init), let payload = claim["payload"]?.string,
      let device = claim["device"]?.string,
      let identity = try trustedIdentities(of: owner).first(where: { $0.deviceID == device }),
      let expiry = claim["expiresAt"].flatMap(Self.instant), expiry > now
    else { throw rejected("pairing claim", of: owner) }
    let isPaired = try store.accounts(of: owner).contains {
      $0.isActive && $0.environment == token.environment && $0.user.id == token.user.id
    }
    let record = PairingRecord(
      id: try Self.makeID(),
      owner: owner,
      identity: identity.id,
      state: .received,
      environment: token.environment,
      user: token.user,
      key: key.text,
      account: nil,
      expiresAt: min(expiry, now.adding(seconds: Self.pairingLifetime))
    )
    try store.transaction { _ in
      guard
        try store.insertUsedToken(
          token.digest,
          owner: owner,
          until: token.expiresAt.adding(seconds: 60),
          now: now
        )
      else { throw rejected("token used before", of: owner) }
      try takeRoom(of: owner)
      guard try store.takePayload(payload, owner: owner, now: now) else {
        throw rejected("payload unknown", of: owner)
      }
      guard !isPaired else { return }
      guard try waitingPairings(of: owner).count < Self.waitingPairings else {
        throw RPCError.quota.with(["limit": .int(Self.waitingPairings)])
      }
      try store.insertPairing(record)
    }
    guard !isPaired, let request = try request(record) else { return nil }
    events.publish(.pairing, of: owner, request)
    return request
  }

  /// The pairings that wait for the owner's word.
  package func pairingRequests(of owner: uid_t) throws -> [PairingRequest] {
    try waitingPairings(of: owner).compactMap(request)
  }

  /// Carries out a waiting pairing.
  package func approvePairing(_ id: String, owner: uid_t) async throws -> PairingInfo {
    guard let record = try store.pairing(id, of: owner) else { throw RPCError.notFound }
    return try await guardingPairing(of: owner) {
      guard record.state == .received else { throw RPCError.pairingRunning }
      guard record.expiresAt > time.now() else { throw RPCError.expired }
      try checkRoomForAccount(of: owner)
      guard try store.movePairing(id, from: .received, to: .approved) else { throw RPCError.pairingRunning }
      return try await finish(record)
    }
  }

  /// Lets a waiting pairing go.
  package func ignorePairing(_ id: String, owner: uid_t) throws {
    guard let record = try store.pairing(id, of: owner) else { throw RPCError.notFound }
    guard record.state == .received else { throw RPCError.pairingRunning }
    try store.deletePairing(id)
  }

  /// Finishes what a crash or an unreachable platform interrupted; no owner's waits for another's.
  package func resumePairings() async throws {
    let owners = Set(try store.unfinishedPairings().map(\.owner))
    let tasks = owners.map { owner in EventLoop.task { [self] in try await resumePairings(of: owner) } }
    for task in tasks { try await task.value }
  }

  private func resumePairings(of owner: uid_t) async throws {
    guard !pairingOwners.contains(owner) else {
      // What its owner is pairing just now comes first.
      return after(Self.resumptionDelay) { [weak self] in
        EventLoop.task { try await self?.resumePairings(of: owner) }
      }
    }
    try await guardingPairing(of: owner) {
      for record in try store.unfinishedPairings() where record.owner == owner {
        do {
          try await auditing(.resumePairing, of: record.id, owner: owner) { _ = try await finish(record) }
        } catch {
          Journal.warning("an interrupted pairing could not be finished", ["uid": owner])
          if record.expiresAt <= time.now() { try store.deletePairing(record.id) }
        }
      }
    }
  }

  /// One pairing of an owner at a time, or the end of one; the guard is let go on every way out.
  func guardingPairing<R>(of owner: uid_t, _ body: () async throws -> R) async throws -> R {
    guard pairingOwners.insert(owner).inserted else { throw RPCError.pairingRunning }
    defer { pairingOwners.remove(owner) }
    return try await body()
  }

  private func waitingPairings(of owner: uid_t) throws -> [PairingRecord] {
    let now = time.now()
    return try store.pairings(of: owner).filter { $0.state == .received && $0.expiresAt > now }
  }

  private func request(_ record: PairingRecord) throws -> PairingRequest? {
    guard let user = record.user,
      let identity = try identity(record.identity)
    else { return nil }
    return PairingRequest(
      id: record.id,
      user: user,
      environment: record.environment ?? "",
      geography: identity.geography,
      expiresAt: record.expiresAt
    )
  }

  private func rejected(_ reason: StaticString, of owner: uid_t) -> RPCError {
    Journal.warning("an ID token was rejected", ["reason": reason, "uid": owner])
    return .tokenRejected
  }

  private static func instant(_ value: JSON) -> Timestamp? {
    value.string.flatMap { Timestamp(text: $0) } ?? value.int.map { Timestamp(seconds: $0) }
  }
}
