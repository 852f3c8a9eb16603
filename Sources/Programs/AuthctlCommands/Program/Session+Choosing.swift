internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

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

  /// Does something by an id as it was given, or else by that of the only thing that fits, or of the one that is picked of
  /// several: what is listed is asked for only if there is none of that very name.
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
      let fitting = naming.fitting(given, among: try list())
      guard let only = fitting.first else { throw error.naming(given, on: .notFound) }
      if fitting.count == 1 { return try body(naming.id(only)) }
      if let picked = try pick(fitting, "which one?", naming.row) { return try body(naming.id(picked)) }
      throw .local(
        .ambiguous,
        "several fit \"\(given)\"",
        hint: "give more of the id",
        list: Columns.lines(fitting, naming.row)
      )
    }
  }

  /// Does something about the thing that is meant: the one that the first word names, or at a terminal the only one or the
  /// one that is picked.
  func choosing<Item: Sendable>(
    _ kind: SafeText,
    none: SafeText,
    among list: () throws(Failure) -> [Item],
    by naming: Naming<Item>,
    _ body: (String) throws(Failure) -> Void
  ) throws(Failure) {
    if let given = arguments.words.first { return try resolving(given, among: list, by: naming, body) }
    guard terminal != nil else { throw misused("without a terminal name the \(kind) by its id") }
    let items = try list()
    guard let first = items.first else { throw .local(.notFound, none) }
    guard items.count > 1 else { return try body(naming.id(first)) }
    guard let picked = try pick(items, "which \(kind)?", naming.row) else {
      throw .local(.cancelled, "no \(kind) was picked")
    }
    try body(naming.id(picked))
  }
}
