/// A thing that the sandbox remembers under an identifier.
protocol Stored: Sendable {
  var id: ID<Self> { get }
}

/// All things of one kind, in the order in which they came.
struct Shelf<Thing: Stored> {
  private var things: [ID<Thing>: Thing] = [:]
  private var order: [ID<Thing>] = []

  /// The things, oldest first.
  var all: [Thing] { order.compactMap { things[$0] } }

  var count: Int { things.count }

  /// The thing of that identifier; setting `nil` removes it.
  subscript(_ id: ID<Thing>) -> Thing? {
    get { things[id] }
    set {
      if things[id] == nil, newValue != nil { order.append(id) }
      if newValue == nil { order.removeAll { $0 == id } }
      things[id] = newValue
    }
  }

  /// Adds a thing, or puts it in the place of the one with its identifier.
  mutating func put(_ thing: Thing) { self[thing.id] = thing }

  /// Adds a thing and forgets the oldest beyond so many.
  mutating func put(_ thing: Thing, keeping maximum: Int) {
    put(thing)
    while things.count > maximum, let oldest = order.first { self[oldest] = nil }
  }

  /// Removes the things that the condition holds for.
  mutating func removeAll(where condition: (Thing) -> Bool) {
    for thing in all where condition(thing) { self[thing.id] = nil }
  }

  func first(where condition: (Thing) -> Bool) -> Thing? { all.first(where: condition) }
}
