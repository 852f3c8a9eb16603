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
