internal import EventLoop
internal import Glibc
internal import Journal
internal import SystemCalls

/// How often each owner's PIN was tried in vain, which no older copy of the database takes back.
///
/// It stands in the PIN's row and in a slot beside the state, a file of the owner's own; both are sealed. The database is
/// changed first and the slot follows, each time by a version that is one more, so that the later of both holds. What
/// has no seal, or no slot, may have been tried any number of times: then no try is left.
@EventLoop
final class PINTries {
  private let vault: Vault
  /// What the files say, as far as they were read.
  private var slots: [uid_t: PINSlot] = [:]

  /// The wrong tries in a row after which no other is taken.
  nonisolated static let most = 10

  init(_ vault: Vault) { self.vault = vault }

  /// How often a PIN counts as tried.
  ///
  /// Throws: why the slot cannot be read, which says nothing of tries.
  func count(_ pin: PINRecord, of owner: uid_t) throws -> Int {
    guard try vault.sealer.seal(pin, of: owner) == pin.seal, pin.tries < Self.most else { return Self.most }
    guard let slot = try slot(of: owner) else { return Self.most }
    if let known = slot.tries(of: try vault.sealer.identity(of: pin, owner)) {
      return slot.version > pin.version ? known : pin.tries
    }
    // A new PIN is ahead of its slot by its own change alone.
    return pin.version == slot.version + 1 ? pin.tries : Self.most
  }

  /// Counts one more, which is on the disk in both places when this returns.
  ///
  /// Throws: why it is not; then nothing is counted, since nothing was tried.
  func add(to pin: PINRecord, of owner: uid_t) throws {
    let count = try count(pin, of: owner)
    // A slot that cannot follow is found out before more is counted; by two changes a new PIN's row may not be ahead.
    try follow(owner)
    try set(count + 1, of: owner)
    try vault.commit()
    do { try follow(owner) } catch {
      // The row is ahead of whatever the slot says.
      try vault.setTries(count, of: owner)
      try vault.commit()
      throw error
    }
  }

  /// Forgets all, after one that was right.
  func end(of owner: uid_t) throws {
    try set(0, of: owner)
    followWhenCommitted(owner)
  }

  /// Has the slot on the disk as it is, before another PIN is stored whose version is one more; returns the slot's.
  func prepare(for owner: uid_t) throws -> Int {
    // The key that seals the slot must be as lasting.
    try vault.commit()
    try follow(owner)
    return try write(slot(of: owner) ?? .new(), of: owner).version
  }

  /// Lets the slot say what is stored of the PIN.
  func follow(_ owner: uid_t, isFlushed: Bool = true) throws {
    guard let pin = try vault.pin(of: owner) else { return }
    let slot = try slot(of: owner) ?? PINSlot(version: 0)
    guard pin.version > slot.version else { return }
    let identity = try vault.sealer.identity(of: pin, owner)
    try write(slot.following(pin, identity), of: owner, isFlushed: isFlushed)
  }

  /// A slot that is behind says what the row has overtaken: it need not come to the disk at once.
  private func followWhenCommitted(_ owner: uid_t) {
    vault.whenCommitted { [weak self] in try? self?.follow(owner, isFlushed: false) }
  }

  func forget(_ owner: uid_t) { slots[owner] = nil }

  // MARK: At the start

  /// Takes over into the database what the slots know better.
  func settle() throws {
    for owner in try vault.ownersWithPIN() {
      do {
        // What is only missing may come back, and until then no try is left.
        guard let pin = try vault.pin(of: owner), try slot(of: owner) != nil else { continue }
        let count = try count(pin, of: owner)
        guard count != pin.tries else { continue }
        try set(count, of: owner)
        followWhenCommitted(owner)
      } catch {
        Journal.warning("how often a PIN was tried cannot be told", ["uid": owner, "reason": "\(error)"])
      }
    }
  }

  private func set(_ count: Int, of owner: uid_t) throws {
    try vault.setTries(count, of: owner, after: slot(of: owner)?.version ?? 0)
  }

  // MARK: Slots

  /// What the file of an owner says; `nil` if there is none, or none that this state's key has sealed.
  private func slot(of owner: uid_t) throws -> PINSlot? {
    if let slot = slots[owner] { return slot }
    let content = try named { try StableFile.read(path(of: owner), atMost: PINSlot.maximumCount) }
    slots[owner] = try content.flatMap { try vault.sealer.pinSlot($0, of: owner) }
    return slots[owner]
  }

  @discardableResult
  private func write(_ slot: PINSlot, of owner: uid_t, isFlushed: Bool = true) throws -> PINSlot {
    // Of a failure it is not known what it leaves.
    slots[owner] = nil
    let (path, line) = (path(of: owner), try vault.sealer.line(of: slot, owner))
    try named {
      guard try !StableFile.overwrite(path, with: line, isFlushed: isFlushed) else { return }
      RollbackCounter.makeDirectory(of: vault.directory)
      try StableFile.write(line, to: path)
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
