internal import ControlAPI
internal import EventLoop
public import Glibc
internal import JSONRPC
public import OpenSSL

// A guarded secret is sealed twice: by the data key of its row, and around that by its owner's guard key.
// Without a PIN the owner's key wraps the guard key. With a PIN, the wrapping key is derived from the owner's
// key and the PIN. Setting or removing a PIN therefore overwrites only one value, and no row is sealed again.

/// A sealed secret as stored in a row.
public struct GuardedSecret: Sendable {
  public let sealed: [UInt8]
  /// True if the guard key seals it; false for a secret that arrived while its owner was locked.
  public let isGuarded: Bool

  public init(_ sealed: [UInt8], isGuarded: Bool) { (self.sealed, self.isGuarded) = (sealed, isGuarded) }
}

extension Sealer {
  /// Seals a secret that must be unavailable while its owner is locked.
  public func seal(_ secret: Secret, guardedBeside key: DataKey, as label: SealLabel) throws -> GuardedSecret
  {
    let sealed = try key.seal(secret, as: label)
    let guarded = try guardSeal(of: sealed, as: label)
    return GuardedSecret(guarded ?? sealed, isGuarded: guarded != nil)
  }

  /// Opens a guarded secret; throws `locked` if the owner is locked.
  public func open(_ secret: GuardedSecret, beside key: DataKey, as label: SealLabel) throws -> Secret {
    guard try isOpen(label.owner) else { throw RPCError.locked }
    guard secret.isGuarded else { return try key.openSecret(secret.sealed, as: label) }
    guard let guardKey = try guardKey(of: label.owner) else { throw SealingError.damaged }
    return try key.openSecret(guardKey.open(secret.sealed, as: label), as: label)
  }

  /// Returns a copy of `content`, sealed with the guard key; nil if the owner is locked.
  public func guardSeal(of content: [UInt8], as label: SealLabel) throws -> [UInt8]? {
    guard try isOpen(label.owner) else { return nil }
    let key = try guardKey(of: label.owner) ?? makeGuardKey(of: label.owner)
    return try key.seal(content, as: label)
  }

  /// Throws unless an owner with a PIN was unlocked when `content` was sealed.
  public func checkGuard(_ seal: [UInt8]?, of content: [UInt8], as label: SealLabel) throws {
    guard try vault?.pin(of: label.owner) != nil else { return }
    guard try isOpen(label.owner), let key = try guardKey(of: label.owner) else { throw RPCError.locked }
    guard let seal, try key.open(seal, as: label) == content else { throw SealingError.damaged }
  }

  /// True if the guarded secrets of an owner are available to the current call.
  public func isOpen(_ owner: uid_t) throws -> Bool {
    try lock?.openKey(of: owner) != nil || vault?.pin(of: owner) == nil
  }

  /// Returns the guard key of an owner that is not locked; nil if there is none yet.
  func guardKey(of owner: uid_t) throws -> DataKey? {
    if let key = lock?.openKey(of: owner) { return key }
    guard let vault, try vault.pin(of: owner) == nil else { throw RPCError.locked }
    if let key = guardKeys[owner] { return key }
    guard let wrapped = try vault.guardKey(of: owner), let ownerKey = try knownKey(of: owner) else {
      return nil
    }
    let key = try DataKey(unwrapping: wrapped, with: ownerKey, as: .guardKey(owner))
    guardKeys[owner] = key
    return key
  }

  func makeGuardKey(of owner: uid_t) throws -> DataKey {
    let key = try DataKey.random()
    try wrapGuardKey(key, of: owner, with: nil)
    guardKeys[owner] = key
    return key
  }

  /// Stores a guard key, wrapped by the owner's key and, if given, the key derived from a PIN.
  func wrapGuardKey(_ key: DataKey, of owner: uid_t, with pin: Secret?) throws {
    let ownerKey = try knownKey(of: owner) ?? makeKey(of: owner)
    let wrapping = try pin.map { try ownerKey.combined(with: $0, for: "mfad PIN") } ?? ownerKey
    try vault?.setGuardKey(key.wrapped(by: wrapping, as: .guardKey(owner)), of: owner)
    guardKeys[owner] = nil
  }

  /// Opens an owner's guard key with a key derived from a PIN; returns nil if the PIN is wrong.
  func guardKey(of owner: uid_t, openedBy pin: Secret) throws -> DataKey? {
    guard let wrapped = try vault?.guardKey(of: owner), let ownerKey = try knownKey(of: owner) else {
      throw SealingError.damaged
    }
    let wrapping = try ownerKey.combined(with: pin, for: "mfad PIN")
    return try? DataKey(unwrapping: wrapped, with: wrapping, as: .guardKey(owner))
  }
}

extension SealLabel {
  static func guardKey(_ owner: uid_t) -> SealLabel { SealLabel("owner.guard", row: "", owner: owner) }
}
