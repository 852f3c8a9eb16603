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
  package let options: [ProgramOption<Values>]
  package let notes: String
  /// What it ends with, and what that says.
  package let exitCodes: [(code: Int32, meaning: String)]

  package init(
    _ program: String,
    forms: [String],
    summary: String,
    purpose: String,
    options: [ProgramOption<Values>],
    notes: String = "",
    exitCodes: [(code: Int32, meaning: String)]
  ) {
    (self.program, self.forms, self.summary, self.purpose) = (program, forms, summary, purpose)
    (self.options, self.notes, self.exitCodes) = (options, notes, exitCodes)
  }

  /// Reads the arguments that follow the program's name.
  package func read(_ arguments: some Sequence<String>, into values: inout Values) throws(UsageError) {
    var rest = Array(arguments)[...]
    var last: ProgramOption<Values>?
    while let argument = rest.popFirst() {
      guard let option = option(argument) else { throw misplaced(argument, after: last) }
      last = option
      var value = ""
      if option.value != nil {
        value = rest.popFirst() ?? ""
        guard !value.isEmpty else { throw UsageError("\(option.name) needs a value") }
      }
      try option.apply(&values, value)
    }
  }

  private func option(_ name: String) -> ProgramOption<Values>? {
    options.first { $0.names.contains(name) }
  }

  /// What is wrong with a word that is no option; what was given to an option by mistake may be a secret, and is not
  /// repeated.
  private func misplaced(_ word: String, after last: ProgramOption<Values>?) -> UsageError {
    if let last, !word.hasPrefix("-") {
      return UsageError("\(last.name) takes \(last.value == nil ? "no" : "one") value")
    }
    let name = String(word.prefix { $0 != "=" })
    if let option = option(name) {
      return UsageError("\(name) takes \(option.value == nil ? "no value" : "its value as the next word")")
    }
    let meant = options.map(\.name).nearest(to: name).map { "; \($0) is meant perhaps" } ?? ""
    return UsageError("unknown argument \"\(name)\"\(meant)")
  }

  /// What `--help` prints.
  package var help: String {
    let indent = "\n" + String(repeating: " ", count: "usage: ".count)
    let width = options.map(\.shown.count).max() ?? 0
    let lines = options.map { option in
      let below = "\n" + String(repeating: " ", count: width + 4)
      let text = option.help.split(separator: "\n").joined(separator: below)
      return "  \(option.shown)\(String(repeating: " ", count: width - option.shown.count))  \(text)"
    }
    let codes = exitCodes.map { "\($0.code) \($0.meaning)" }.joined(separator: ", ")
    return """
      usage: \(forms.map { "\(program) \($0)" }.joined(separator: indent))

      \(purpose)

      \(lines.joined(separator: "\n"))

      \(notes.isEmpty ? "" : notes + "\n")Exit codes: \(codes).

      """
  }
}

/// A command line that cannot be followed, and what is wrong with it.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
