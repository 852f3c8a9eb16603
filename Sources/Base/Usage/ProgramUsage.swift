internal import Text

/// How a program is used: what reads its command line, explains it, and stands in its manual page.
package struct ProgramUsage<Values>: Sendable {
  package let program: String
  /// What may stand after its name.
  package let forms: [String]
  /// What it is, as a manual page says it in a line.
  package let summary: String
  /// What it does; lines no longer than a terminal.
  package let purpose: String
  package let operands: [ProgramOperand<Values>]
  package let options: [ProgramOption<Values>]
  /// What else it does, by the word that comes first.
  package let commands: [ProgramCommand]
  package let notes: String
  /// What it ends with, and what that says.
  package let exitCodes: [(code: Int32, meaning: String)]

  package init(
    _ program: String,
    forms: [String],
    summary: String,
    purpose: String,
    operands: [ProgramOperand<Values>] = [],
    options: [ProgramOption<Values>],
    commands: [ProgramCommand] = [],
    notes: String = "",
    exitCodes: [(code: Int32, meaning: String)]
  ) {
    (self.program, self.forms, self.summary, self.purpose) = (program, forms, summary, purpose)
    (self.operands, self.options, self.commands) = (operands, options, commands)
    (self.notes, self.exitCodes) = (notes, exitCodes)
  }

  /// Reads the arguments that follow the program's name.
  package func read(_ arguments: ArraySlice<String>, into values: inout Values) throws(UsageError) {
    var rest = arguments
    var places = operands[...]
    var given: [String] = []
    /// The option that the word before belongs to.
    var last: Option?
    while let argument = rest.popFirst() {
      guard let option = option(argument) else {
        guard !argument.hasPrefix("--"), let operand = places.popFirst() else {
          throw misplaced(argument, after: last, place: arguments.count - rest.count)
        }
        last = nil
        try operand.apply(&values, argument)
        continue
      }
      last = option.usage
      guard !given.contains(option.usage.name) || option.usage.repeats else {
        throw UsageError("\(option.usage.name) is given twice")
      }
      given.append(option.usage.name)
      var value = ""
      if option.usage.value != nil {
        value = rest.popFirst() ?? ""
        guard !value.isEmpty else { throw UsageError("\(option.usage.name) needs a value") }
        try option.usage.check(value)
      }
      try option.apply(&values, value)
    }
  }

  private func option(_ name: String) -> ProgramOption<Values>? {
    options.first { $0.usage.names.contains(name) }
  }

  /// What is wrong with a word that means nothing in its place; it may be a secret, and only what is written as an
  /// option is repeated.
  private func misplaced(_ word: String, after last: Option?, place: Int) -> UsageError {
    let name = String(word.prefix { $0 != "=" })
    if let option = option(name)?.usage {
      return UsageError("\(name) takes \(option.value == nil ? "no value" : "its value as the next word")")
    }
    if let last, !word.hasPrefix("-") {
      return UsageError("\(last.name) takes \(last.value == nil ? "no" : "one") value")
    }
    let isOption = name.hasPrefix("--") && name.allSatisfy { $0 == "-" || $0.isASCII && $0.isLowercase }
    let shown = isOption ? "\"\(name)\"" : "\(place)"
    let names = options.map(\.usage.name) + commands.map(\.name)
    let meant = names.nearest(to: name).map { "; \($0) is meant perhaps" } ?? ""
    return UsageError("unknown argument \(shown)\(meant)")
  }

  /// What `--help` prints.
  package var help: String {
    let indent = "\n" + String(repeating: " ", count: "usage: ".count)
    let codes = exitCodes.map { "\($0.code) \($0.meaning)" }.joined(separator: ", ")
    return """
      usage: \(forms.map { "\(program) \($0)" }.joined(separator: indent))

      \(purpose)

      \(Self.columns(options.map { ($0.usage.shown, $0.usage.help) }))

      \(commands.isEmpty ? "" : commandLines)\(notes.isEmpty ? "" : notes + "\n")Exit codes: \(codes).

      """
  }

  private var commandLines: String {
    """
    Commands, each with a --help of its own:
    \(Self.columns(commands.map { ($0.name, $0.summary) }))


    """
  }

  private static func columns(_ rows: [(term: String, meaning: String)]) -> String {
    let width = rows.map(\.term.count).max() ?? 0
    let below = "\n" + String(repeating: " ", count: width + 4)
    return rows.map { term, meaning in
      let text = meaning.split(separator: "\n").joined(separator: below)
      return "  \(term)\(String(repeating: " ", count: width - term.count))  \(text)"
    }.joined(separator: "\n")
  }
}

/// A command line that cannot be followed, and what is wrong with it.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
