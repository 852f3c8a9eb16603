import FoundationEssentials
import OpenSSL

/// A record of the sandbox with an identifier.
protocol Stored: Sendable {
  var id: ID<Self> { get }
  /// Maximum number of records; beyond it, the oldest are removed.
  static var maximumCount: Int { get }
  /// Other search keys, for example a code or the identifier of the owner.
  var handles: [String] { get }
}

extension Stored {
  static var maximumCount: Int { .max }
  var handles: [String] { [] }
}

/// All records of one kind, in the order of insertion, with a list of changes for the archive.
struct RecordStore<Thing: Stored> {
  private var things: [ID<Thing>: (place: Int, thing: Thing)] = [:]
  /// Identifiers by position; entries of removed records remain until there are too many.
  private var order: [(place: Int, id: ID<Thing>)] = []
  /// Entries before this index are obsolete.
  private var firstInOrder = 0
  private var index = ShelfIndex<Thing>()
  private var nextPlace = 0
  /// Identifiers of changed records; `nil` without an archive.
  private var changed: Set<ID<Thing>>?

  var all: [Thing] {
    order[firstInOrder...].compactMap { entry in
      things[entry.id].flatMap { $0.place == entry.place ? $0.thing : nil }
    }
  }

  /// Returns the records with this handle.
  func all(by handle: String) -> [Thing] {
    index[handle].compactMap { things[$0] }.sorted { $0.place < $1.place }.map(\.thing)
  }

  var count: Int { things.count }

  /// The record with this identifier; setting `nil` removes it.
  subscript(_ id: ID<Thing>) -> Thing? {
    get { things[id]?.thing }
    set {
      changed?.insert(id)
      index.change(id, from: things[id]?.thing.handles ?? [], to: newValue?.handles ?? [])
      guard let newValue else {
        things[id] = nil
        compact()
        return
      }
      let place = things[id]?.place ?? nextPlace
      if place == nextPlace {
        order.append((place, id))
        nextPlace += 1
      }
      things[id] = (place, newValue)
    }
  }

  /// Adds a record, or replaces the record with its identifier; removes the oldest above the maximum.
  mutating func put(_ thing: Thing) {
    self[thing.id] = thing
    while things.count > Thing.maximumCount, let oldest { self[oldest] = nil }
  }

  private var oldest: ID<Thing>? {
    mutating get {
      while firstInOrder < order.count {
        let (place, id) = order[firstInOrder]
        if things[id]?.place == place { return id }
        firstInOrder += 1
      }
      return nil
    }
  }

  mutating func removeAll(where condition: (Thing) -> Bool) {
    for thing in all where condition(thing) { self[thing.id] = nil }
  }

  func first(where condition: (Thing) -> Bool) -> Thing? { all.first(where: condition) }

  /// Returns a handle that no record has.
  func unused(_ make: () -> String) -> String {
    while true {
      let made = make()
      if index[made].isEmpty { return made }
    }
  }

  /// Loads stored records at their positions, and notes changes from now on.
  ///
  /// Existing records count as changed.
  mutating func startNoting(kept: [(place: Int, thing: Thing)]) {
    let unkept = Set(things.keys)
    for (place, thing) in kept {
      index.change(thing.id, from: things[thing.id]?.thing.handles ?? [], to: thing.handles)
      things[thing.id] = (place, thing)
      order.append((place, thing.id))
      nextPlace = max(nextPlace, place + 1)
    }
    changed = unkept
  }

  /// Returns the changes since the last call; `current` is `nil` for a removed record.
  mutating func takeChanges() -> [(id: ID<Thing>, current: (place: Int, thing: Thing)?)] {
    let noted = changed ?? []
    changed = []
    return noted.map { ($0, things[$0]) }
  }

  private mutating func compact() {
    guard order.count > 2 * things.count + 16 else { return }
    order = order.filter { things[$0.id]?.place == $0.place }
    firstInOrder = 0
  }
}

/// An index of the records by handle, so that the search time does not depend on the number of records.
struct ShelfIndex<Thing: Stored> {
  private var identifiers: [String: Set<ID<Thing>>] = [:]

  subscript(_ handle: String) -> Set<ID<Thing>> { identifiers[handle] ?? [] }

  /// Replaces the handles of a record.
  mutating func change(_ id: ID<Thing>, from old: [String], to new: [String]) {
    guard old != new else { return }
    for handle in old {
      identifiers[handle]?.remove(id)
      if identifiers[handle]?.isEmpty ?? false { identifiers[handle] = nil }
    }
    for handle in new { identifiers[handle, default: []].insert(id) }
  }
}

/// All records of one kind; one of them, the default, always exists.
struct StandardShelf<Thing: Stored> {
  private(set) var standard: Thing
  var others = RecordStore<Thing>()

  init(_ standard: Thing) { self.standard = standard }

  var all: [Thing] { [standard] + others.all }

  subscript(_ id: ID<Thing>) -> Thing? { id == standard.id ? standard : others[id] }

  /// Adds a record, or replaces the record that has the same identifier.
  ///
  /// A new default record moves the previous one to the others.
  mutating func put(_ thing: Thing, isStandard: Bool = false) {
    guard isStandard || thing.id == standard.id else { return others.put(thing) }
    if thing.id != standard.id { others.put(standard) }
    others[thing.id] = nil
    standard = thing
  }

  mutating func remove(_ thing: Thing) { others[thing.id] = nil }
}

/// The identifier of one kind of record; the type distinguishes a user's identifier from a device's.
struct ID<Kind>: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }
}

extension ID {
  /// Returns a new identifier in the form of a random UUID, RFC 9562 section 5.4.
  static func random() -> ID { ID(UUID().uuidString.lowercased()) }
}

/// Returns a random text of `count` characters of an alphabet, for codes and tokens.
func randomText(_ count: Int, of alphabet: String) -> String {
  let characters = Array(alphabet)
  return String((0..<count).map { _ in characters[Int.random(in: 0..<characters.count)] })
}

/// Returns random bytes for a secret.
func randomSecret(_ count: Int) throws(ErrorResponse) -> [UInt8] {
  do { return try randomBytes(count) } catch { throw .unexpected }
}

let digits = "0123456789"
/// Alphabet of codes: digits and upper-case letters.
let codeAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
/// Alphabet of tokens; 43 random characters have 256 bits of entropy.
let tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/// Compares two secrets in constant time.
func isSameSecret(_ given: String, _ expected: String) -> Bool {
  constantTimeEqual(Array(given.utf8), Array(expected.utf8))
}
