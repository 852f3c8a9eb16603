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
