/// Something else that a program does where this word comes first: a program within the program.
package struct ProgramCommand: Sendable {
  package let name: String
  /// What it does, in a line.
  package let summary: String
  /// How it is called, with the program's name.
  package let forms: [String]
  package let purpose: String
  package let options: [Option]
  /// What its first operand can be, where that can be told.
  let choices: [String]
  /// Does it with the word and the arguments that follow it, and gives the exit code.
  package let run: @Sendable ([String]) -> Int32

  /// A command that is used as this says, under the last word of its name.
  package init(_ usage: ProgramUsage<some Any>, run: @escaping @Sendable ([String]) -> Int32) {
    name = usage.program.split(separator: " ").last.map { String($0) } ?? usage.program
    (summary, purpose) = (usage.summary, usage.purpose)
    forms = usage.forms.map { "\(usage.program) \($0)" }
    options = usage.options.map(\.usage)
    choices = usage.operands.first?.choices ?? []
    self.run = run
  }
}
