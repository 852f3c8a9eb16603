/// A word of the command line that means something by its place.
package struct ProgramOperand<Values>: Sendable {
  /// What it is called, in brackets where it may be left out.
  package let name: String
  /// What it can be, where those are few.
  let choices: [String]
  let apply: @Sendable (inout Values, String) throws(UsageError) -> Void

  package init(
    _ name: String,
    choices: [String] = [],
    apply: @escaping @Sendable (inout Values, String) throws(UsageError) -> Void
  ) { (self.name, self.choices, self.apply) = (name, choices, apply) }

  /// One that is any text.
  package static func text(
    _ name: String,
    choices: [String] = [],
    _ place: ProgramOption<Values>.Place<String?>
  ) -> Self {
    ProgramOperand(name, choices: choices) { (values, text) throws(UsageError) in
      values[keyPath: place] = text
    }
  }
}
