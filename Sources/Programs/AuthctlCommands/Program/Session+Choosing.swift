internal import ControlAPI
internal import ControlClient
internal import JSONRPC

extension Session {
  /// The one of several that a person picks on the terminal, by its number in a list; nothing if nobody can be asked or
  /// they end the input.
  func pick<Item>(
    _ items: [Item],
    _ question: SafeText,
    _ row: (Item) -> [SafeText]
  ) throws(Failure) -> Item? {
    guard let terminal else { return nil }
    terminal.showRows(Columns.numbered(Columns.lines(items, row)))
    while let answer = try terminal.ask("\(question) [1-\(items.count)]") {
      if let number = Int(answer), items.indices.contains(number - 1) { return items[number - 1] }
    }
    return nil
  }

  /// Does something by an id as it was given, or else by the only id that begins so.
  func resolving<Value>(
    _ given: String,
    among list: () throws(Failure) -> [String],
    _ body: (String) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try resolving(given, among: list, by: Naming(id: { $0 }, names: { _ in [] }), body)
  }

  /// Does something by an id as it was given, or else by that of the only thing that fits: what is listed is asked for
  /// only if there is none of that very name.
  func resolving<Item: Sendable, Value>(
    _ given: String,
    among list: () throws(Failure) -> [Item],
    by naming: Naming<Item>,
    _ body: (String) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    do { return try body(given) } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .notFound), !given.isEmpty else {
        throw error
      }
      let fitting = naming.fitting(given, among: try list()).map(naming.id)
      guard let only = fitting.first else { throw error }
      guard fitting.count == 1 else {
        throw .local(
          .ambiguous,
          "several fit \"\(given)\"",
          hint: "give more of the id",
          list: fitting.map { "\($0)" }
        )
      }
      return try body(only)
    }
  }
}
