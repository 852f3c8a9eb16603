import FoundationEssentials
import OpenSSL

/// A thing that the sandbox remembers under an identifier.
protocol Stored: Sendable {
  var id: ID<Self> { get }
  /// How many are remembered, the newest.
  static var maximumCount: Int { get }
  /// What else it is looked for by: a code, or the identifier of whose it is.
  var handles: [String] { get }
}

extension Stored {
  static var maximumCount: Int { .max }
  var handles: [String] { [] }
}

/// All things of one kind, in the order in which they came, with a list of what has changed for who keeps them.
struct Shelf<Thing: Stored> {
  private var things: [ID<Thing>: (place: Int, thing: Thing)] = [:]
  /// The identifiers by their places; those of removed things stay until there are too many.
  private var order: [(place: Int, id: ID<Thing>)] = []
  /// Before it nothing is left.
  private var firstInOrder = 0
  private var index = ShelfIndex<Thing>()
  private var nextPlace = 0
  /// What has changed; `nil` while nobody asks.
  private var changed: Set<ID<Thing>>?

  var all: [Thing] {
    order[firstInOrder...].compactMap { entry in
      things[entry.id].flatMap { $0.place == entry.place ? $0.thing : nil }
    }
  }

  /// Those with that handle.
  func all(by handle: String) -> [Thing] {
    index[handle].compactMap { things[$0] }.sorted { $0.place < $1.place }.map(\.thing)
  }

  var count: Int { things.count }

  /// The thing of that identifier; setting `nil` removes it.
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

  /// Adds a thing, or puts it in the place of the one with its identifier, and forgets the oldest of too many.
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

  /// A handle that no thing has yet.
  func unused(_ make: () -> String) -> String {
    while true {
      let made = make()
      if index[made].isEmpty { return made }
    }
  }

  /// Takes over things that are kept, at their places, and notes from now on what changes; what is there already has
  /// not been kept yet.
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

  /// What has been put or removed since the last call, with the places of what is there.
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

/// The things of a shelf by what else they are looked for by, so that no search grows with what there is.
struct ShelfIndex<Thing: Stored> {
  private var identifiers: [String: Set<ID<Thing>>] = [:]

  subscript(_ handle: String) -> Set<ID<Thing>> { identifiers[handle] ?? [] }

  /// Notes that a thing is looked for by other handles than before.
  mutating func change(_ id: ID<Thing>, from old: [String], to new: [String]) {
    guard old != new else { return }
    for handle in old {
      identifiers[handle]?.remove(id)
      if identifiers[handle]?.isEmpty ?? false { identifiers[handle] = nil }
    }
    for handle in new { identifiers[handle, default: []].insert(id) }
  }
}

/// All things of one kind, of which one is always there: the one that is meant when none is named.
struct StandardShelf<Thing: Stored> {
  private(set) var standard: Thing
  var others = Shelf<Thing>()

  init(_ standard: Thing) { self.standard = standard }

  var all: [Thing] { [standard] + others.all }

  subscript(_ id: ID<Thing>) -> Thing? { id == standard.id ? standard : others[id] }

  /// Adds a thing, or puts it in the place of the one with its identifier; one that becomes the standard one leaves
  /// that which was it among the others.
  mutating func put(_ thing: Thing, isStandard: Bool = false) {
    guard isStandard || thing.id == standard.id else { return others.put(thing) }
    if thing.id != standard.id { others.put(standard) }
    others[thing.id] = nil
    standard = thing
  }

  mutating func remove(_ thing: Thing) { others[thing.id] = nil }
}

/// The identifier of one kind of thing, so that a user's cannot be taken for a device's.
struct ID<Kind>: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }
}

extension ID {
  /// A fresh identifier in the form of a random UUID, RFC 9562 section 5.4.
  static func random() -> ID { ID(UUID().uuidString.lowercased()) }
}

/// Random text of so many characters of an alphabet, for codes and tokens.
func randomText(_ count: Int, of alphabet: String) -> String {
  let characters = Array(alphabet)
  return String((0..<count).map { _ in characters[Int.random(in: 0..<characters.count)] })
}

/// Random bytes of which something secret is made.
func randomSecret(_ count: Int) throws(ErrorResponse) -> [UInt8] {
  do { return try randomBytes(count) } catch { throw .unexpected }
}

let digits = "0123456789"
/// Digits and upper-case letters, which codes are made of.
let codeAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
/// Letters and digits, for tokens: 43 of them are 256 bits.
let tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/// Whether two secrets are the same, in a time that does not tell how far they are.
func isSameSecret(_ given: String, _ expected: String) -> Bool {
  constantTimeEqual(Array(given.utf8), Array(expected.utf8))
}
