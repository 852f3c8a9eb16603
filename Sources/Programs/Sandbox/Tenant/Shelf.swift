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
