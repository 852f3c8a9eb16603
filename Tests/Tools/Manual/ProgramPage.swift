internal import Usage

extension ManualPage {
  /// The page of a program, from the definition of its command line.
  init(_ usage: ProgramUsage, _ section: Int, _ edition: Edition) {
    self.init(usage.program, section, usage.summary, edition)
    heading("SYNOPSIS")
    example(usage.calls)
    heading("DESCRIPTION")
    paragraphs(usage.purpose)
    if !usage.notes.isEmpty { paragraphs(usage.notes) }
    heading("OPTIONS")
    for option in usage.options { add(option) }
    if !usage.commands.isEmpty { heading("COMMANDS") }
    for command in usage.commands.map(\.usage) {
      item(command.calls.joined(separator: ", "), command.purpose)
      nested { page in for option in command.options { page.add(option) } }
    }
    heading("EXIT STATUS")
    for (code, meaning) in usage.exitCodes { item("\(code)", meaning) }
  }

  mutating func add(_ option: Option) { item(option.shown, option.help) }
}
