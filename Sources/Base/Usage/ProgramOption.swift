/// An option of a program: how it is used, and what becomes of it.
package struct ProgramOption<Values>: Sendable {
  /// Its help has lines of at most 80 columns together with what stands before them.
  package let usage: Option
  let apply: @Sendable (inout Values, String) throws(UsageError) -> Void

  package init(
    _ name: String,
    short: String? = nil,
    takes value: String? = nil,
    repeats: Bool = false,
    choices: [String] = [],
    _ help: String,
    apply: @escaping @Sendable (inout Values, String) throws(UsageError) -> Void
  ) {
    usage = Option(name, short: short, takes: value, repeats: repeats, choices: choices, help)
    self.apply = apply
  }

  package typealias Place<Value> = any WritableKeyPath<Values, Value> & Sendable

  /// One that is given or not.
  package static func flag(_ name: String, short: String? = nil, _ place: Place<Bool>, _ help: String) -> Self
  {
    ProgramOption(name, short: short, help) { (values, _) throws(UsageError) in values[keyPath: place] = true
    }
  }

  /// One that is followed by a text.
  package static func text(
    _ name: String,
    _ value: String,
    choices: [String] = [],
    _ place: Place<String?>,
    _ help: String
  ) -> Self {
    ProgramOption(name, takes: value, choices: choices, help) { (values, text) throws(UsageError) in
      values[keyPath: place] = text
    }
  }

  package static func help(_ place: Place<Bool>) -> Self { flag("--help", short: "-h", place, "print this") }

  package static func version(_ place: Place<Bool>) -> Self { flag("--version", place, "print the version") }
}
