internal import ControlAPI
public import EventLoop
public import Glibc
public import JSONRPC
internal import Journal
internal import OATHExports
internal import OpenSSL
internal import SQLite
internal import SystemCalls

/// Manages three levels of keys.
///
/// The key-encryption key wraps a key for each owner. An owner's key wraps data keys: each seals the values
/// of one row and of the rows that refer to it.
///
/// Destroying an owner's key erases the owner: without a copy of the key, no copy of a row can be opened.
@EventLoop
public final class Sealer {
  weak var vault: Vault?
  let places: KeyLocations
  /// The key-encryption key, once it has been loaded.
  var loaded: KeyEncryptionKey?
  /// The last logged reason that the key was unavailable.
  private var journalledFault: String?
  /// The sealed values that did not open.
  public let damage = DamageReport()
  private var digestKey: HMACContext?
  private var serviceKey: DataKey?
  let ownerKeys = RecentCache<uid_t, DataKey>(capacity: 1024)
  /// The guard keys of owners without a PIN; `lock` has the guard keys of unlocked owners with a PIN.
  let guardKeys = RecentCache<uid_t, DataKey>(capacity: 1024)
  weak var lock: PINLock?
  private(set) var lockObservers: [@EventLoop (uid_t) -> Void] = []
  private(set) var unlockWork: [@EventLoop (uid_t) async throws -> Void] = []

  nonisolated init(_ places: KeyLocations) { self.places = places }

  /// Registers a handler that runs when an owner is locked or unlocked or the PIN changes.
  ///
  /// The handler drops data that was cached while the owner's secrets were available.
  public func whenLockChanged(_ handler: @escaping @EventLoop (uid_t) -> Void) {
    lockObservers.append(handler)
  }

  /// Registers work that an unlock carries out before its reply, over several loop iterations.
  public func whenUnlocking(_ work: @escaping @EventLoop (uid_t) async throws -> Void) {
    unlockWork.append(work)
  }

  /// The source of the key-encryption key: tpm2, credential, key-file or unavailable.
  public var source: String { (try? loadedKey().source.rawValue) ?? "unavailable" }

  /// The reason that the key-encryption key is unavailable; nil if it is available.
  public var fault: RPCError? {
    do {
      _ = try loadedKey()
      return nil
    } catch { return RPCError(naming: error) }
  }

  /// The path of the key file, which is the last place where the key is looked for.
  public var keyFile: String { places.keyFile }

  /// True if the key-encryption key is loaded.
  var hasKey: Bool { loaded != nil }

  /// Seals a value that belongs to no owner, so that the erasure of an owner does not affect it.
  public func seal(_ text: String, as label: SealLabel) throws -> [UInt8] {
    try loadedServiceKey().seal(text, as: label)
  }

  /// Opens a value that belongs to no owner; throws if it was not sealed under this label.
  public func open(_ sealed: [UInt8], as label: SealLabel) throws -> [UInt8] {
    try loadedServiceKey().open(sealed, as: label)
  }

  /// Returns a keyed digest of a name and its parts, so that personal data can be found without being
  /// decrypted.
  public func digest(_ name: StaticString, _ parts: [String]) throws -> [UInt8] {
    var message = Array(name.description.utf8)
    for part in parts {
      // The length before each part ensures that different lists have different inputs.
      message += "/\(part.utf8.count)/".utf8
      message += part.utf8
    }
    return Array(try loadedDigestKey().code(for: message).prefix(16))
  }

  /// Returns the result of `read`; nil, after a report, if a sealed value does not open.
  ///
  /// Throws `RPCError` and `SQLiteError`. Any other error counts as a value that does not open.
  public func unlessDamaged<R>(
    _ thing: StaticString,
    _ id: String = "",
    of owner: uid_t,
    _ read: () throws -> R
  ) throws -> R? {
    do { return try read() } catch let error as RPCError { throw error } catch let error as SQLiteError {
      throw error
    } catch {
      damage.report(thing, id, of: owner)
      return nil
    }
  }

  /// Returns the key-encryption key in the form that wraps and unwraps other keys.
  func wrappingKey() throws -> DataKey { DataKey(try loadedKey().key) }

  func loadedKey() throws -> KeyEncryptionKey {
    if let loaded { return loaded }
    guard let vault else { throw RPCError.keyUnavailable }
    let (proof, successor) = (try vault.meta(.proof), try vault.meta(.successor))
    do {
      let key = try KeyEncryptionKey.load(from: places, mayCreate: proof == nil) {
        try $0.fitting(proof, successor: successor)
      }
      if proof == nil {
        let proof = try DataKey.seal([], with: key.key, as: .proof)
        try vault.write { _ in try vault.setMeta(.proof, proof) }
      }
      (loaded, journalledFault) = (key, nil)
      return key
    } catch let error as SystemError {
      // The key file with the first key could not be written.
      throw error.ofStorage
    } catch let error as SQLiteError {
      throw error
    } catch {
      journal("\(error)")
      let cause = (error as? KeyError)?.cause
      throw cause.map { RPCError.keyUnavailable.withCause($0) } ?? .keyUnavailable
    }
  }

  /// Logs the reason that the key is unavailable, once for each new reason.
  private func journal(_ fault: String) {
    guard fault != journalledFault else { return }
    journalledFault = fault
    Journal.error("the key-encryption key is unavailable", ["reason": fault, "file": keyFile])
  }

  private func loadedDigestKey() throws -> HMACContext {
    if let digestKey { return digestKey }
    let context = HMACContext(.sha256, key: try key(.digestKey, .digestKey))
    digestKey = context
    return context
  }

  private func loadedServiceKey() throws -> DataKey {
    if let serviceKey { return serviceKey }
    let key = DataKey(try key(.serviceKey, .serviceKey))
    serviceKey = key
    return key
  }

  /// Returns a key that belongs to the whole database, and creates it at its first use.
  private func key(_ name: SealedMeta, _ label: SealLabel) throws -> Secret {
    guard let vault else { throw RPCError.keyUnavailable }
    let wrappingKey = try wrappingKey()
    if let sealed = try vault.meta(name) { return try wrappingKey.openSecret(sealed, as: label) }
    let key = try Secret.random(count: DataKey.byteCount)
    let sealed = try wrappingKey.seal(key, as: label)
    try vault.write { _ in try vault.setMeta(name, sealed) }
    return key
  }

  /// Drops cached keys, which may have been created in a rolled-back loop iteration.
  func forgetKeys() {
    (loaded, digestKey, serviceKey) = (nil, nil, nil)
    ownerKeys.removeAll()
    guardKeys.removeAll()
  }
}

extension Sealer {
  /// Returns a new data key with its wrapped form for the row.
  public func makeDataKey(_ label: SealLabel) throws -> (key: DataKey, wrapped: [UInt8]) {
    let key = try DataKey.random()
    let ownerKey = try knownKey(of: label.owner) ?? makeKey(of: label.owner)
    return (key, try key.wrapped(by: ownerKey, as: label))
  }

  /// Returns the data key of a row.
  public func dataKey(unwrapping wrapped: [UInt8], _ label: SealLabel) throws -> DataKey {
    guard let ownerKey = try knownKey(of: label.owner) else { throw SealingError.damaged }
    return try DataKey(unwrapping: wrapped, with: ownerKey, as: label)
  }

  func knownKey(of owner: uid_t) throws -> DataKey? {
    if let key = ownerKeys[owner] { return key }
    guard let vault, let wrapped = try vault.ownerKey(of: owner) else { return nil }
    let key = try DataKey(unwrapping: wrapped, with: wrappingKey(), as: .ownerKey(owner))
    ownerKeys[owner] = key
    return key
  }

  func makeKey(of owner: uid_t) throws -> DataKey {
    guard let vault else { throw RPCError.keyUnavailable }
    let key = try DataKey.random()
    try vault.insertOwnerKey(try key.wrapped(by: wrappingKey(), as: .ownerKey(owner)), of: owner)
    ownerKeys[owner] = key
    return key
  }

  /// Overwrites an owner's keys in the database, so that the owner's sealed values cannot be opened.
  ///
  /// The WAL and backups may still contain copies of the keys.
  func destroyKey(of owner: uid_t) throws {
    (ownerKeys[owner], guardKeys[owner]) = (nil, nil)
    try vault?.destroyOwnerKey(of: owner)
  }
}

extension SealLabel {
  static func ownerKey(_ owner: uid_t) -> SealLabel { SealLabel("owner.key", row: "", owner: owner) }
}

// Files outside the state directory contain one line: words and a keyed digest of them.

extension Sealer {
  func line(_ name: StaticString, _ words: [String]) throws -> [UInt8] {
    let seal = Base32.encode(try digest(name, words))
    return Array("\(words.joined(separator: " ")) \(seal)\n".utf8)
  }

  /// Returns the words of a line; nil if this state's key has not sealed the line under this name.
  func words(of line: [UInt8], _ name: StaticString) throws -> [String]? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ").dropLast().map(String.init)
    return try self.line(name, words) == line ? words : nil
  }
}

extension Int {
  /// Returns the number with leading zeros, so that all lines have the same length.
  func digits(_ count: Int = 19) -> String {
    let text = String(self)
    return String(repeating: "0", count: count - Swift.min(count, text.count)) + text
  }
}
