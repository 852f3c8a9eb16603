/// A command as completion knows it.
package struct CompletedCommand {
  /// The words of its name; what has none is the program itself.
  let name: [String]
  let meaning: String
  let options: [Option]
  /// What its first argument can be, by the options that are given.
  let operands: (_ given: [String: [String]]) -> [Candidate]

  package init(
    _ name: [String],
    _ meaning: String,
    _ options: [Option],
    operands: @escaping (_ given: [String: [String]]) -> [Candidate] = { _ in [] }
  ) { (self.name, self.meaning, self.options, self.operands) = (name, meaning, options, operands) }
}
