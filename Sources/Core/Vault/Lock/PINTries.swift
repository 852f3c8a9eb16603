internal import EventLoop
internal import Glibc
internal import Journal
internal import OATHExports
internal import OpenSSL
internal import SystemCalls

/// Counts the failed tries of each owner's PIN; an older copy of the database does not reset the count.
///
/// The count is in the PIN's row and in a slot, which is a file per owner outside the state directory. Both
/// are sealed. The database changes first and the slot follows. Each change increments the version, and the
/// count with the higher version is valid. Without a valid seal or slot the number of tries is unknown: the
/// PIN then has no tries left.
@EventLoop
final class PINTries {
  private let vault: Vault
  /// The contents of the slot files that were read so far.
  private var slots: [uid_t: PINSlot] = [:]

  /// Number of wrong tries in a row that disables the PIN.
  nonisolated static let most = 10

  init(_ vault: Vault) { self.vault = vault }

  /// Returns the valid number of tries of a PIN.
  ///
  /// Throws: the reason that the slot cannot be read. An unreadable slot does not count as a missing one.
  func count(_ pin: PINRecord, of owner: uid_t) throws -> Int {
    guard try vault.sealer.seal(pin, of: owner) == pin.seal, pin.tries < Self.most else { return Self.most }
    guard let slot = try slot(of: owner) else { return Self.most }
    if let known = slot.tries(of: try vault.sealer.identity(of: pin, owner)) {
      return slot.version > pin.version ? known : pin.tries
    }
    // A new PIN's version is exactly one ahead of its slot.
    return pin.version == slot.version + 1 ? pin.tries : Self.most
  }

  /// Counts one more try; the count is on the disk in the database and in the slot when this returns.
  ///
  /// Throws: the reason that a write failed. The count is then reset if possible, because no PIN was tried.
  func add(to pin: PINRecord, of owner: uid_t) throws {
    let count = try count(pin, of: owner)
    // First copy earlier changes to the slot: if this fails, nothing is counted. Also, the row of a new PIN
    // must be at most one version ahead of its slot.
    try follow(owner)
    try set(count + 1, of: owner)
    try vault.commit()
    do { try follow(owner) } catch {
      // The row has a higher version than the slot, so resetting the row is sufficient.
      try vault.setTries(count, of: owner)
      try vault.commit()
      throw error
    }
  }

  /// Resets the count after a correct try.
  func end(of owner: uid_t) throws {
    try set(0, of: owner)
    followWhenCommitted(owner)
  }

  /// Writes the slot to the disk, before a PIN with the next version is stored; returns the slot's version.
  func prepare(for owner: uid_t) throws -> Int {
    // The key that seals the slot must be on the disk before the slot.
    try vault.commit()
    try follow(owner)
    return try write(slot(of: owner) ?? .new(), of: owner).version
  }

  /// Updates the slot from the stored PIN record.
  func follow(_ owner: uid_t, isFlushed: Bool = true) throws {
    guard let pin = try vault.pin(of: owner) else { return }
    let slot = try slot(of: owner) ?? PINSlot(version: 0)
    guard pin.version > slot.version else { return }
    let identity = try vault.sealer.identity(of: pin, owner)
    try write(slot.following(pin, identity), of: owner, isFlushed: isFlushed)
  }

  /// Updates the slot after the commit; it need not be flushed, since the row has the higher version.
  private func followWhenCommitted(_ owner: uid_t) {
    vault.whenCommitted { [weak self] in try? self?.follow(owner, isFlushed: false) }
  }

  /// Deletes the slot of an erased owner.
  ///
  /// A PIN that returns with an older copy of the database then has no tries left.
  func forget(_ owner: uid_t) {
    slots[owner] = nil
    unlink(path(of: owner))
  }

  // MARK: At the start

  /// Stores the valid count of each PIN in the database if the database has another one.
  func settle() throws {
    // A previous run may have ended between an erasure and the deletion of the slot.
    let owners = Set(try vault.owners().map { $0.uid })
    for erased in try vault.erasedOwners() where !owners.contains(erased.uid) { unlink(path(of: erased.uid)) }
    for owner in try vault.ownersWithPIN() {
      do {
        // Without its slot a PIN has no tries left. The slot file may reappear, so this is not stored.
        guard let pin = try vault.pin(of: owner), try slot(of: owner) != nil else { continue }
        let count = try count(pin, of: owner)
        guard count != pin.tries else { continue }
        try set(count, of: owner)
        followWhenCommitted(owner)
      } catch {
        Journal.warning("the tries of a PIN cannot be determined", ["uid": owner, "reason": "\(error)"])
      }
    }
  }

  private func set(_ count: Int, of owner: uid_t) throws {
    try vault.setTries(count, of: owner, after: slot(of: owner)?.version ?? 0)
  }

  // MARK: Slots

  /// Returns the slot of an owner; nil if there is no file or this state's key has not sealed it.
  private func slot(of owner: uid_t) throws -> PINSlot? {
    if let slot = slots[owner] { return slot }
    let content = try named { try AtomicFile.read(path(of: owner), atMost: PINSlot.maximumCount) }
    slots[owner] = try content.flatMap { try vault.sealer.pinSlot($0, of: owner) }
    return slots[owner]
  }

  @discardableResult
  private func write(_ slot: PINSlot, of owner: uid_t, isFlushed: Bool = true) throws -> PINSlot {
    // After a failed write the content of the file is unknown.
    slots[owner] = nil
    let (path, line) = (path(of: owner), try vault.sealer.line(of: slot, owner))
    try named {
      guard try !AtomicFile.overwrite(path, with: line, isFlushed: isFlushed) else { return }
      RollbackCounter.makeDirectory(of: vault.directory)
      try AtomicFile.write(line, to: path)
    }
    slots[owner] = slot
    return slot
  }

  private func named<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as SystemError { throw error.ofStorage }
  }

  private func path(of owner: uid_t) -> String {
    "\(RollbackCounter.directory(of: vault.directory))/pin-\(owner)"
  }
}

/// The tries of an owner's latest PINs, as stored in one line of a file outside the state directory.
///
/// If an older copy of the database brings back an earlier PIN, the slot still has the PIN's number of tries.
struct PINSlot {
  /// The version, which grows with each change; a new slot starts at a random one.
  var version: Int
  /// The current PIN is the last element.
  private var pins: [Tries] = []

  private struct Tries {
    let identity: String
    let count: Int
  }

  /// Number of remembered PINs of an owner; earlier PINs have no tries left.
  private static let limit = 4
  /// Maximum number of bytes to read, more than any slot file has; it fits into one sector.
  static let maximumCount = 256

  init(version: Int) { self.version = version }

  /// Creates a slot without PINs.
  static func new() throws -> PINSlot {
    // A random version, so that a PIN row that belongs to a lost slot is not accepted with this slot.
    PINSlot(version: try randomBytes(5).reduce(0) { $0 << 8 | Int($1) })
  }

  func tries(of identity: String) -> Int? { pins.first { $0.identity == identity }?.count }

  /// Returns the slot after a change of a PIN.
  func following(_ pin: PINRecord, _ identity: String) -> PINSlot {
    var slot = self
    slot.version = pin.version
    slot.pins.removeAll { $0.identity == identity }
    slot.pins = slot.pins.suffix(Self.limit - 1) + [Tries(identity: identity, count: pin.tries)]
    return slot
  }

  fileprivate var words: [String] {
    [version.digits()] + pins.flatMap { [$0.identity, $0.count.digits(2)] }
  }

  fileprivate init?(_ words: ArraySlice<String>) {
    guard let first = words.first, let version = Int(first), words.count % 2 == 1 else { return nil }
    self.init(version: version)
    for place in stride(from: words.startIndex + 1, to: words.endIndex, by: 2) {
      guard let count = Int(words[place + 1]) else { return nil }
      pins.append(Tries(identity: words[place], count: count))
    }
  }
}

extension Sealer {
  private static let name: StaticString = "pin.slot"

  /// Returns the id of a PIN in slots; it reveals nothing about the row.
  func identity(of pin: PINRecord, _ owner: uid_t) throws -> String {
    Base32.encode(try Array(digest("pin.identity", ["\(owner)", "\(pin.salt)"]).prefix(10)))
  }

  func line(of slot: PINSlot, _ owner: uid_t) throws -> [UInt8] {
    try line(Self.name, ["\(owner)"] + slot.words)
  }

  /// Parses the content of a slot file; nil if it is not this owner's.
  fileprivate func pinSlot(_ content: [UInt8], of owner: uid_t) throws -> PINSlot? {
    guard let words = try words(of: content, Self.name), words.first == "\(owner)" else { return nil }
    return PINSlot(words.dropFirst())
  }
}
