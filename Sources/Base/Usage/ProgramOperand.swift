/// A word of the command line that means something by its place.
package struct ProgramOperand<Values>: Sendable {
  /// What it is called, in brackets where it may be left out.
  package let name: String
  let apply: @Sendable (inout Values, String) throws(UsageError) -> Void

  package init(
    _ name: String,
    apply: @escaping @Sendable (inout Values, String) throws(UsageError) -> Void
  ) { (self.name, self.apply) = (name, apply) }

  /// One that is any text.
  package static func text(_ name: String, _ place: ProgramOption<Values>.Place<String?>) -> Self {
    ProgramOperand(name) { (values, text) throws(UsageError) in values[keyPath: place] = text }
  }
}
