public import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Settings
public import Vault

/// Decides whether somebody was there, once for every kind of approval.
///
/// What the other side hears is what was verified: without that nothing but `user` may be claimed.
@EventLoop
public struct PresenceCheck {
  private let core: Core
  private let accounts: Accounts

  public nonisolated init(_ core: Core, _ accounts: Accounts) {
    (self.core, self.accounts) = (core, accounts)
  }

  // MARK: What there is

  /// How this machine can make sure of an owner.
  public func methods(of owner: uid_t) throws -> [PresenceClaim.Method] {
    try [.locked, .unlocked].contains(core.vault.pinState(of: owner)) ? [.pin] : []
  }

  /// What is in force of an owner: the stricter of what the administrator wants and what they want.
  public func requirement(of owner: uid_t) throws -> PresenceRequirement {
    max(core.settings.current.requiredPresence, try core.vault.requiredPresence(of: owner) ?? .none)
  }

  // MARK: Verifying

  /// Makes sure of an owner by what they brought, if they brought something, and carries out a call with that.
  public func verifying<R>(
    _ claim: PresenceClaim?,
    of owner: uid_t,
    _ body: @EventLoop () async throws -> R
  ) async throws -> R {
    guard let claim else { return try await body() }
    let presence = try await verify(claim, of: owner)
    return try await VerifiedPresence.$current.withValue(presence) { try await body() }
  }

  private func verify(_ claim: PresenceClaim, of owner: uid_t) async throws -> VerifiedPresence {
    guard claim.method == .pin else { throw try required(of: owner) }
    guard let pin = claim.pin else {
      throw RPCError.invalidParameter("presence").saying("the method pin takes the member \"pin\"")
    }
    guard let lock = core.vault.lock, try core.vault.pinState(of: owner) != .none else {
      throw try required(of: owner)
    }
    do { return try await lock.presence(pin, owner: owner) } catch let error as RPCError {
      guard error.code == RPCError.pinWrong.code else { throw error }
      var details = error.details
      details["method"] = .string(claim.method.rawValue)
      throw RPCError.presenceFailed.with(details)
    }
  }

  // MARK: Deciding

  /// What the other side hears of how the person was recognized who approves now, RFC 8176.
  public func method(claiming claimed: String, of owner: uid_t) throws -> String {
    guard let presence = VerifiedPresence.of(owner) else {
      guard claimed == AuthenticationMethod.standard else { throw try required(of: owner) }
      try checkAlways(of: owner)
      return claimed
    }
    guard [AuthenticationMethod.standard, presence.method].contains(claimed) else {
      throw try required(of: owner)
    }
    return presence.method
  }

  /// Refuses a call of an owner who wants to be asked for always and was not.
  public func checkAlways(of owner: uid_t) throws {
    if try requirement(of: owner) == .all { try check(of: owner) }
  }

  /// Refuses a call with which nobody made sure of its owner.
  public func check(of owner: uid_t) throws {
    guard VerifiedPresence.of(owner) != nil else { throw try required(of: owner) }
  }

  private func required(of owner: uid_t) throws -> RPCError {
    .presenceRequired.with(["methods": .strings(try methods(of: owner).map(\.rawValue))])
  }

  // MARK: Setting

  /// Stores what an owner wants to be asked for: less than before only by who is there.
  public func require(_ requirement: PresenceRequirement, of owner: uid_t) throws -> PresenceRequirement {
    guard requirement >= core.settings.current.requiredPresence else {
      throw RPCError.permissionDenied.saying("the administrator requires more, by require_presence")
    }
    let isLaxer = try requirement < self.requirement(of: owner)
    let isHopeless = try requirement == .all && methods(of: owner).isEmpty
    if isLaxer || isHopeless, try VerifiedPresence.of(owner) == nil && hasAccounts(owner) {
      throw try required(of: owner)
    }
    try core.vault.write { _ in
      try core.owners.enter(owner)
      try core.vault.setRequiredPresence(requirement, of: owner)
    }
    return requirement
  }

  /// Refuses a first PIN of somebody who would have to be verified by the methods in force, since there are none.
  public func checkFirstPIN(of owner: uid_t) throws {
    guard try core.vault.pinState(of: owner) == .none else { return }
    if try requirement(of: owner) == .all && hasAccounts(owner) { throw try required(of: owner) }
  }

  /// Refuses to let a PIN go that its owner has to be verified by.
  public func checkClearing(of owner: uid_t) throws {
    guard try requirement(of: owner) < .all || !hasAccounts(owner) else {
      throw RPCError.conflict.saying("every approval wants you verified, which only the PIN does")
    }
  }

  private func hasAccounts(_ owner: uid_t) throws -> Bool { try accounts.activeCount(of: owner) > 0 }
}
