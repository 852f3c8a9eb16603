public import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Settings
public import Vault

/// Checks the presence of the owner, for all kinds of approvals.
///
/// The server receives the verified method. Without a verification, clients may claim only the method `user`.
@EventLoop
public struct PresenceCheck {
  private let core: Core
  private let accounts: Accounts

  public nonisolated init(_ core: Core, _ accounts: Accounts) {
    (self.core, self.accounts) = (core, accounts)
  }

  // MARK: Available methods

  /// Returns the methods by which this machine can verify an owner.
  public func methods(of owner: uid_t) throws -> [PresenceClaim.Method] {
    try [.locked, .unlocked].contains(core.vault.pinState(of: owner)) ? [.pin] : []
  }

  /// Returns the presence requirement for an owner: the stricter one of the administrator's and the owner's
  /// settings.
  public func requirement(of owner: uid_t) throws -> PresenceRequirement {
    max(core.settings.current.requiredPresence, try core.vault.requiredPresence(of: owner) ?? .none)
  }

  // MARK: Verifying

  /// Verifies the claim, if there is one, and runs `body` with the verified presence.
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
      throw RPCError.invalidParameter("presence").withMessage("the method pin requires the member \"pin\"")
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

  /// Returns the authentication method (RFC 8176) that the server receives for an approval.
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

  /// Throws if the requirement is `all` and this call has no verified presence.
  public func checkAlways(of owner: uid_t) throws {
    if try requirement(of: owner) == .all { try check(of: owner) }
  }

  /// Throws if this call has no verified presence of its owner.
  public func check(of owner: uid_t) throws {
    guard VerifiedPresence.of(owner) != nil else { throw try required(of: owner) }
  }

  private func required(of owner: uid_t) throws -> RPCError {
    .presenceRequired.with(["methods": .strings(try methods(of: owner).map(\.rawValue))])
  }

  // MARK: Setting

  /// Stores an owner's presence requirement; throws if the administrator's requirement is stricter.
  ///
  /// For an owner with active accounts, a verified presence is required to lower the requirement, and to set
  /// `all` while no method is available.
  public func require(_ requirement: PresenceRequirement, of owner: uid_t) throws -> PresenceRequirement {
    guard requirement >= core.settings.current.requiredPresence else {
      throw RPCError.permissionDenied.withMessage("the administrator's require_presence is stricter")
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

  /// Throws if an owner with active accounts sets a first PIN while the requirement is `all`.
  ///
  /// The requirement demands a verification, but without a PIN there is no method for it.
  public func checkFirstPIN(of owner: uid_t) throws {
    guard try core.vault.pinState(of: owner) == .none else { return }
    if try requirement(of: owner) == .all && hasAccounts(owner) { throw try required(of: owner) }
  }

  /// Throws if the PIN must stay: the requirement is `all`, and the owner has active accounts.
  public func checkClearing(of owner: uid_t) throws {
    guard try requirement(of: owner) < .all || !hasAccounts(owner) else {
      throw RPCError.conflict.withMessage("every approval requires your PIN")
    }
  }

  private func hasAccounts(_ owner: uid_t) throws -> Bool { try accounts.activeCount(of: owner) > 0 }
}
