internal import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import OpenSSL
public import Time

/// The PIN locks of all owners; an owner's guarded secrets are unavailable without the owner's PIN.
///
/// A try is stored on the disk before its key is derived, so that no crash resets it. The derived key then
/// opens the guard key or fails. Unlocked keys are only in this process's memory, so after a start all owners
/// with a PIN are locked.
@EventLoop
public final class PINLock {
  /// The state of an owner's PIN.
  public enum State: String, Sendable {
    case none, locked, unlocked, disabled
  }

  private struct Opening {
    let key: DataKey
    /// The end of the unlock by the boot-time clock, which cannot be set and includes time in suspend.
    let end: Duration
  }

  private let core: Core
  /// Derives the keys of PINs only, so that no other work delays an unlock.
  let lane = BlockingWorkQueue()
  let derivations: RateLimit
  private var openings: [uid_t: Opening] = [:]
  /// The next time at which an unlock is checked for expiry.
  private var checks: [uid_t: Duration] = [:]
  let tries: PINTries
  /// Start times of the latest tries.
  private var recent: [uid_t: [Duration]] = [:]
  private let start: Duration

  private static let triesPerMinute = 6
  private static let saltCount = 16

  public init(_ core: Core) {
    self.core = core
    tries = PINTries(core.vault)
    derivations = RateLimit.derivations(time: core.time)
    start = core.time.uptime()
    core.vault.sealer.lock = self
    core.owners.whenErased { [weak self] in self?.forget($0) }
  }

  // MARK: Looking

  public func state(of owner: uid_t) throws -> State {
    guard let pin = try core.vault.pin(of: owner) else { return .none }
    if isUnlocked(owner) { return .unlocked }
    // If the slot cannot be read, the database's count is used here; the next try throws the reason.
    return ((try? tries.count(pin, of: owner)) ?? pin.tries) < PINTries.most ? .locked : .disabled
  }

  func isUnlocked(_ owner: uid_t) -> Bool { openings[owner].map { core.time.uptime() < $0.end } ?? false }

  /// Returns the guard key of an unlocked owner.
  ///
  /// A call that was given the PIN counts as unlocked, regardless of the owner's lock state.
  func openKey(of owner: uid_t) -> DataKey? {
    VerifiedPresence.of(owner)?.key ?? (isUnlocked(owner) ? openings[owner]?.key : nil)
  }

  /// Verifies the presence of an owner by PIN.
  public func presence(_ pin: String, owner: uid_t) async throws -> VerifiedPresence {
    VerifiedPresence(owner: owner, method: "pin", key: try await open(pin, of: owner))
  }

  // MARK: Locking and unlocking

  /// Unlocks an owner for some seconds; returns the end of the unlock.
  public func unlock(_ pin: String, seconds: Int, owner: uid_t) async throws -> Timestamp {
    let key = try await open(pin, of: owner)
    // Secrets that arrived while the owner was locked are sealed with the guard key now.
    openings[owner] = Opening(key: key, end: core.time.uptime() + .seconds(seconds))
    do {
      try core.vault.write { _ in try guardSecrets(of: owner) }
      try await core.vault.committed()
      for work in core.vault.sealer.unlockWork { try await work(owner) }
    } catch {
      try? lock(owner)
      throw error
    }
    lockWhenOver(owner)
    tell(owner)
    return core.time.now().adding(seconds: seconds)
  }

  /// Locks an owner; work in progress fails when it next needs the guard key.
  public func lock(_ owner: uid_t) throws {
    guard try core.vault.pin(of: owner) != nil else { throw Self.noPIN }
    guard openings.removeValue(forKey: owner) != nil else { return }
    tell(owner)
  }

  private func lockWhenOver(_ owner: uid_t) {
    guard let end = openings[owner]?.end, checks[owner].map({ end < $0 }) ?? true else { return }
    checks[owner] = end
    core.after(max(.zero, end - core.time.uptime())) { [weak self] in
      guard let self, self.checks[owner] == end else { return }
      self.checks[owner] = nil
      if self.openings[owner] != nil, !self.isUnlocked(owner) {
        self.openings[owner] = nil
        self.tell(owner)
      } else {
        self.lockWhenOver(owner)
      }
    }
  }

  private func tell(_ owner: uid_t) { for observer in core.vault.sealer.lockObservers { observer(owner) } }

  // MARK: Setting

  /// Sets or replaces an owner's PIN.
  public func set(_ pin: String, current: String?, owner: uid_t) async throws {
    let pin = try PIN(new: pin)
    let before = try core.vault.pin(of: owner)
    let opened: DataKey?
    switch (before, current) {
    case (nil, nil): opened = nil
    case (nil, .some): throw RPCError.invalidParameter("current").withMessage("there is no PIN yet")
    case (.some, nil):
      throw RPCError.invalidParameter("current").withMessage("the parameter \"current\" is missing")
    case (.some, let current?): opened = try await open(current, of: owner)
    }
    let derived = try await derive(pin, of: owner) { try randomBytes(Self.saltCount) }
    // Another call may have set a PIN meanwhile.
    guard try core.vault.pin(of: owner)?.salt == before?.salt else { throw RPCError.conflict }
    let version = try tries.prepare(for: owner)
    try core.vault.write { _ in
      try core.owners.enter(owner)
      if opened == nil { try guardSecrets(of: owner) }
      let key =
        try opened ?? core.vault.sealer.guardKey(of: owner) ?? core.vault.sealer.makeGuardKey(of: owner)
      try core.vault.sealer.wrapGuardKey(key, of: owner, with: derived.key)
      try core.vault.setPIN(salt: derived.salt, of: owner, after: version)
      // The WAL may still contain the guard key as it was wrapped before.
      core.vault.emptyLogAfterTurn()
    }
    core.vault.whenCommitted { [weak self] in
      // The PIN is already set. If the slot cannot be updated now, it is updated before the next try.
      try? self?.tries.follow(owner)
      self?.tell(owner)
    }
  }

  /// Removes an owner's PIN.
  public func clear(current: String, owner: uid_t) async throws {
    let key = try await open(current, of: owner)
    try core.vault.write { _ in
      try core.vault.sealer.wrapGuardKey(key, of: owner, with: nil)
      try core.vault.removePIN(of: owner)
    }
    core.vault.whenCommitted { [weak self] in
      self?.openings[owner] = nil
      self?.tell(owner)
    }
  }

  private func guardSecrets(of owner: uid_t) throws {
    for component in core.vault.components.all { try component.guardSecrets(of: owner) }
  }

  // MARK: Trying

  /// Returns the guard key that a PIN opens.
  private func open(_ pin: String, of owner: uid_t) async throws -> DataKey {
    guard try core.vault.pin(of: owner) != nil else { throw Self.noPIN }
    let derived = try await derive(PIN(pin), of: owner) { [self] in try count(owner) }
    // The PIN may have been changed meanwhile.
    guard let record = try core.vault.pin(of: owner), record.salt == derived.salt else {
      throw RPCError.conflict
    }
    guard let key = try core.vault.sealer.guardKey(of: owner, openedBy: derived.key) else {
      let left = PINTries.most - record.tries
      if left <= 0 { try lock(owner) }
      throw RPCError.pinWrong.with(["triesLeft": .int(max(0, left))])
    }
    try tries.end(of: owner)
    _ = recent[owner]?.popLast()
    return key
  }

  /// Counts a try and returns the salt for it; the count is on the disk when this returns.
  private func count(_ owner: uid_t) throws -> [UInt8] {
    guard let pin = try core.vault.pin(of: owner) else { throw Self.noPIN }
    let count = try tries.count(pin, of: owner)
    guard count < PINTries.most else { throw RPCError.pinDisabled }
    let now = core.time.uptime()
    let recent = (recent[owner] ?? earlierTries(count)).filter { now - $0 < .seconds(60) }
    guard recent.count < Self.triesPerMinute else {
      let wait = Int(((recent[0] + .seconds(60) - now).millisecondsRoundedUp + 999) / 1000)
      throw RPCError.rateLimited.with(["retryAfter": .int(wait)])
    }
    self.recent[owner] = recent + [now]
    try tries.add(to: pin, of: owner)
    return pin.salt
  }

  /// Returns times for failed tries of previous runs, for the rate limit.
  ///
  /// Their real times are unknown, so they count as made at the start.
  private func earlierTries(_ count: Int) -> [Duration] {
    Array(repeating: start, count: min(count, Self.triesPerMinute))
  }

  private struct Derived {
    let salt: [UInt8]
    let key: Secret
  }

  /// Derives a key from a PIN on a worker thread; `salt` runs when the thread is available.
  ///
  /// Throws `rateLimited`, before `salt` runs, if the owner has used up the derivations.
  private func derive(
    _ pin: PIN,
    of owner: uid_t,
    _ salt: @escaping @EventLoop () throws -> [UInt8]
  ) async throws -> Derived {
    do {
      return try await lane.run(for: owner) { [self] in
        try derivations.take(of: owner)
        return try salt()
      } _: {
        Derived(salt: $0, key: try pin.derived(salt: $0))
      }
    } catch is BlockingWorkQueue.Busy { throw RPCError.rateLimited.with(["retryAfter": 1]) }
  }

  private static var noPIN: RPCError { RPCError.notFound.withMessage("there is no PIN") }

  private func forget(_ owner: uid_t) {
    lane.cancel(owner: owner)
    core.vault.pins.forget(owner)
    core.vault.requiredPresences.forget(owner)
    tries.forget(owner)
    (openings[owner], recent[owner]) = (nil, nil)
  }
}
