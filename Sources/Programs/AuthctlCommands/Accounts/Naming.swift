internal import ControlClient

/// What a person means by a name: a thing's id, one of its names, or enough of either.
struct Naming<Item: Sendable>: Sendable {
  let id: @Sendable (Item) -> String
  var names: @Sendable (Item) -> [String?] = { _ in [] }
  /// The cells by which it is known among several.
  let row: @Sendable (Item) -> [SafeText]

  /// The things that fit best, in capitals or not: by the id, by a whole name, by the beginning of an id, and where a part
  /// of a name does, by that.
  func fitting(_ name: String, among items: [Item], orPart: Bool = true) -> [Item] {
    let text = name.lowercased()
    let ways: [(Item) -> Bool] = [
      { id($0) == name }, { item in called(item) { $0 == text } }, { id($0).hasPrefix(name) },
      { item in orPart && called(item) { $0.contains(text) } },
    ]
    return name.isEmpty ? [] : ways.lazy.map { items.filter($0) }.first { !$0.isEmpty } ?? []
  }

  private func called(_ item: Item, _ fits: (String) -> Bool) -> Bool {
    names(item).contains { $0.map { fits($0.lowercased()) } == true }
  }
}
