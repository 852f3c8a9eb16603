internal import EventLoop
internal import Glibc
internal import Journal
internal import OATHExports
internal import OpenSSL
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

/// How often the PINs were tried that an owner had last, as a file beside the state says it in one line.
///
/// An earlier PIN comes back with an older copy of the database, which takes back neither its tries nor the others'.
struct PINSlot {
  /// Grows with each change, and never begins as low as another did.
  var version: Int
  /// The PIN in force is the last.
  private var pins: [Tries] = []

  private struct Tries {
    let identity: String
    let count: Int
  }

  /// How many PINs of an owner are remembered; of others it is not known how often they were tried.
  private static let limit = 4
  /// More than any such file has; it fits into one sector.
  static let maximumCount = 256

  init(version: Int) { self.version = version }

  /// One before any PIN.
  static func new() throws -> PINSlot {
    // What a lost slot had seen is none of this one.
    PINSlot(version: try randomBytes(5).reduce(0) { $0 << 8 | Int($1) })
  }

  func tries(of identity: String) -> Int? { pins.first { $0.identity == identity }?.count }

  /// What it says after a change of a PIN.
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

  /// By what a PIN is known in slots; of the row it tells nothing.
  func identity(of pin: PINRecord, _ owner: uid_t) throws -> String {
    Base32.encode(try Array(digest("pin.identity", ["\(owner)", "\(pin.salt)"]).prefix(10)))
  }

  func line(of slot: PINSlot, _ owner: uid_t) throws -> [UInt8] {
    try line(Self.name, ["\(owner)"] + slot.words)
  }

  /// What a file says that has this content; `nil` for anything that is not this owner's.
  fileprivate func pinSlot(_ content: [UInt8], of owner: uid_t) throws -> PINSlot? {
    guard let words = try words(of: content, Self.name), words.first == "\(owner)" else { return nil }
    return PINSlot(words.dropFirst())
  }
}
