public import Accounts
internal import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
public import OpenIDConnect
internal import Settings
internal import Text
internal import Time
public import Vault

/// Pairing with users of the platform, by a pairing key or at the request of an ID token.
@EventLoop
public final class Pairings {
  let core: Core
  let devices: Devices
  let paired: PingOneAccounts
  let passcodes: Passcodes
  let channels: PushChannels
  let poller: Poller
  private let presence: PresenceCheck

  private static let waitingPairings = 8
  private static let pairingLifetime = 600
  private static let resumptionDelay = Duration.seconds(5)
  /// Number of seconds for which an expired pairing is kept if the platform may have completed it.
  ///
  /// The clock of this machine may be wrong.
  private static let doubt = 2 * 86_400

  public init(
    _ core: Core,
    devices: Devices,
    accounts: PingOneAccounts,
    passcodes: Passcodes,
    channels: PushChannels,
    poller: Poller,
    presence: PresenceCheck
  ) {
    (self.core, self.devices, paired, self.passcodes) = (core, devices, accounts, passcodes)
    (self.channels, self.poller, self.presence) = (channels, poller, presence)
    core.register(self)
    devices.whenForgotten { [weak self] in try self?.deleteAll(of: $0) }
  }

  /// Pairs with the user of a pairing key.
  public func pair(_ typed: String, owner: uid_t) async throws -> PairingInfo {
    let identity = try await devices.requireIdentity(of: owner)
    guard let key = PairingKey(typed) else { throw RPCError.pairingKey }
    return try await paired.guardingPairing(of: owner) {
      try await finish(try unfinishedPairing(key, of: owner) ?? newPairing(key, identity))
    }
  }

  /// Returns the pairing of this key that only waits for the result of the passcode check.
  private func unfinishedPairing(_ key: PairingKey, of owner: uid_t) throws -> PairingRecord? {
    try core.vault.pairings(of: owner).first { $0.state == .activating && $0.key == key.text }
  }

  private func newPairing(_ key: PairingKey, _ identity: Identity) throws -> PairingRecord {
    try paired.accounts.checkRoom(of: identity.owner)
    try core.quota.reserve(of: identity.owner)
    let record = PairingRecord(
      id: try OpaqueID.make(),
      owner: identity.owner,
      identity: identity.id,
      state: .approved,
      environment: nil,
      user: nil,
      key: key.text,
      account: nil,
      expiresAt: core.time.now().adding(seconds: Self.pairingLifetime)
    )
    try core.vault.insertPairing(record)
    return record
  }

  /// Carries out a pairing; if that fails, the pairing can be resumed or is deleted.
  private func finish(_ record: PairingRecord) async throws -> PairingInfo {
    do { return try await carryOut(record) } catch {
      switch error {
      case PlatformError.refused, PlatformError.deviceUnknown, PlatformError.elsewhere:
        try? delete(record)
      // A pairing from a token waits for its owner's decision again. A typed key can be typed again: the
      // platform repeats its response, and a pending passcode check is resumed.
      default: returnToOwner(record)
      }
      throw error
    }
  }

  /// Returns a pairing from a token to its owner, or deletes an unanswered pairing of a typed key.
  ///
  /// If the change cannot be stored, schedules a resumption of the pairing.
  private func returnToOwner(_ record: PairingRecord) {
    do {
      try record.user == nil
        ? core.vault.dropUnansweredPairing(record.id) : core.vault.returnPairing(record.id)
      core.vault.afterTurn { [weak self] failure in
        if failure != nil { self?.resumeLater(record.owner) }
      }
    } catch { resumeLater(record.owner) }
  }

  private func resumeLater(_ owner: uid_t) {
    core.after(Self.resumptionDelay) { [weak self] in
      EventLoop.task {
        do { try await self?.resumePairings(of: owner) } catch { self?.resumeLater(owner) }
      }
    }
  }

  /// Returns the pairing that a verified ID token requests; `nil` if it requests none or the user is paired.
  public func pairingRequest(of token: IDToken, owner: uid_t) async throws -> PairingRequest? {
    _ = try await devices.requireIdentity(of: owner)
    guard let claim = token.claims[core.settings.current.pairingClaim] else { return nil }
    let now = core.time.now()
    guard let key = claim["key"]?.string.flatMap(PairingKey.init), let payload = claim["payload"]?.string,
      let device = claim["device"]?.string,
      let identity = try devices.trusted(of: owner).first(where: { $0.deviceID == device }),
      let expiry = claim["expiresAt"].flatMap(Self.instant), expiry > now
    else { throw rejected("pairing claim", of: owner) }
    let isPaired = try paired.active(of: owner).contains {
      $0.environment == token.environment && $0.user.id == token.user.id
    }
    let record = PairingRecord(
      id: try OpaqueID.make(),
      owner: owner,
      identity: identity.id,
      state: .received,
      environment: token.environment,
      user: token.user,
      key: key.text,
      account: nil,
      expiresAt: min(expiry, now.adding(seconds: Self.pairingLifetime))
    )
    try core.vault.write { _ in
      guard
        try core.vault.insertUsedToken(
          token.digest,
          owner: owner,
          until: token.expiresAt.adding(seconds: 60),
          now: now
        )
      else { throw rejected("token used before", of: owner) }
      try core.quota.reserve(of: owner)
      guard try core.vault.takePayload(payload, owner: owner, now: now) else {
        throw rejected("payload unknown", of: owner)
      }
      guard !isPaired else { return }
      guard try waitingPairings(of: owner).count < Self.waitingPairings else {
        throw RPCError.quota(Self.waitingPairings, "pairings that wait")
      }
      try core.vault.insertPairing(record)
    }
    guard !isPaired, let request = try request(record) else { return nil }
    core.vault.whenCommitted { [core] in core.events.publish(.pairing, of: owner, request) }
    return request
  }

  /// Returns the pairings that wait for the owner's decision.
  public func pairingRequests(of owner: uid_t) throws -> [PairingRequest] {
    try waitingPairings(of: owner).compactMap(request)
  }

  /// Carries out a waiting pairing that its owner has approved.
  public func approvePairing(_ id: String, owner: uid_t) async throws -> PairingInfo {
    guard let record = try core.vault.pairing(id, of: owner) else { throw RPCError.noSuch("pairing") }
    try presence.checkAlways(of: owner)
    return try await paired.guardingPairing(of: owner) {
      guard record.state == .received else { throw RPCError.pairingRunning }
      guard record.expiresAt > core.time.now() else { throw RPCError.expired }
      try paired.accounts.checkRoom(of: owner)
      guard try core.vault.movePairing(id, from: .received, to: .approved) else {
        throw RPCError.pairingRunning
      }
      return try await finish(record)
    }
  }

  /// Deletes a waiting pairing.
  public func ignorePairing(_ id: String, owner: uid_t) throws {
    guard let record = try core.vault.pairing(id, of: owner) else { throw RPCError.noSuch("pairing") }
    guard record.state == .received else { throw RPCError.pairingRunning }
    try delete(record)
  }

  /// Completes the pairings that a crash or an unreachable platform interrupted.
  ///
  /// The pairings of different owners are resumed in parallel.
  public func resumePairings() async throws {
    let owners = Set(try core.vault.unfinishedPairings().map(\.owner))
    let tasks = owners.map { owner in EventLoop.task { [self] in try await resumePairings(of: owner) } }
    for task in tasks { try await task.value }
  }

  private func resumePairings(of owner: uid_t) async throws {
    guard !paired.isPairing(owner) else {
      // Let the owner's current pairing or unpairing finish first.
      return resumeLater(owner)
    }
    try await paired.guardingPairing(of: owner) {
      for record in try core.vault.unfinishedPairings() where record.owner == owner {
        do {
          try await core.audit.following(AutomaticAction("resumePairing"), of: record.id, owner: owner) {
            _ = try await finish(record)
          }
        } catch {
          Journal.warning("an interrupted pairing could not be finished", ["uid": owner])
          let doubt = record.state == .activating ? Self.doubt : 0
          if record.expiresAt.adding(seconds: doubt) <= core.time.now() { try delete(record) }
        }
      }
    }
  }

  /// Deletes a pairing, and its account unless the account is active.
  func delete(_ record: PairingRecord) throws {
    try core.vault.write { _ in
      if let account = try core.vault.pairing(record.id, of: record.owner)?.account {
        try paired.accounts.discard(account, of: record.owner)
      }
      try core.vault.deletePairing(record.id)
    }
  }

  private func deleteAll(of identity: Identity) throws {
    for record in try core.vault.pairings(of: identity.owner) where record.identity == identity.id {
      try delete(record)
    }
  }

  private func waitingPairings(of owner: uid_t) throws -> [PairingRecord] {
    let now = core.time.now()
    return try core.vault.pairings(of: owner).filter { $0.state == .received && $0.expiresAt > now }
  }

  private func request(_ record: PairingRecord) throws -> PairingRequest? {
    guard let user = record.user,
      let identity = try devices.identity(record.identity)
    else { return nil }
    return PairingRequest(
      id: record.id,
      user: try core.vault.isLocked(record.owner) ? user.impersonal : user,
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

/// A PingOne pairing key: 14 or 18 characters of 0–9 and A–Z, the first two for the geography.
public struct PairingKey: Sendable {
  /// The key in upper case, without spaces and hyphens.
  public let text: String

  /// Parses a typed key; fails if it cannot be a pairing key.
  public init?(_ typed: String) {
    let bare = typed.filter { !$0.isWhitespace && $0 != "-" }
    guard bare.utf8.count == 14 || bare.utf8.count == 18, bare.allSatisfy(\.isASCII) else { return nil }
    text = bare.uppercased()
    guard text.utf8.allSatisfy(Self.isAllowed) else { return nil }
  }

  static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
