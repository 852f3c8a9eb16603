/// An option of a program: its names, what stands after it, what it means, and what becomes of it.
package struct ProgramOption<Values>: Sendable {
  /// The long name with its hyphens.
  package let name: String
  package let short: String?
  /// What its value is called; `nil` if it takes none.
  package let value: String?
  /// Lines of at most 80 columns together with what stands before them.
  package let help: String
  let apply: @Sendable (inout Values, String) throws(UsageError) -> Void

  package init(
    _ name: String,
    short: String? = nil,
    takes value: String? = nil,
    _ help: String,
    apply: @escaping @Sendable (inout Values, String) throws(UsageError) -> Void
  ) {
    (self.name, self.short, self.value, self.help, self.apply) = (name, short, value, help, apply)
  }

  package typealias Place<Value> = any WritableKeyPath<Values, Value> & Sendable

  /// One that is given or not.
  package static func flag(_ name: String, short: String? = nil, _ place: Place<Bool>, _ help: String) -> Self
  {
    ProgramOption(name, short: short, help) { (values, _) throws(UsageError) in values[keyPath: place] = true
    }
  }

  /// One that is followed by a text.
  package static func text(_ name: String, _ value: String, _ place: Place<String?>, _ help: String) -> Self {
    ProgramOption(name, takes: value, help) { (values, text) throws(UsageError) in
      values[keyPath: place] = text
    }
  }

  var names: [String] { [name] + (short.map { [$0] } ?? []) }

  /// As it is typed.
  package var shown: String { value.map { "\(name) \($0)" } ?? name }
}
