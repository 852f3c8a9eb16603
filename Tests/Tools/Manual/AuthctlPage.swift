internal import AuthctlCommands
internal import ControlClient
internal import JSONRPC
internal import Usage

extension ManualPage {
  /// The page of `authctl`, from the tables of its commands and options.
  static func authctl(_ edition: Edition) -> ManualPage {
    var page = ManualPage("authctl", 1, "command line of the PingOne MFA authenticator", edition)
    page.heading("SYNOPSIS")
    page.example(["authctl [--socket PATH] [--json] [--timeout SECONDS] COMMAND ..."])
    page.heading("DESCRIPTION")
    page.paragraphs(
      """
      Controls mfad, the PingOne MFA authenticator of this machine.

      \(HelpText.notes.text)
      """
    )
    page.heading("COMMANDS")
    for group in CommandGroup.all {
      page.subheading(group.title.text)
      for command in group.commands { page.add(command) }
    }
    page.heading("OPTIONS")
    for option in Option.common { page.add(option) }
    page.heading("ENVIRONMENT")
    page.item("MFAD_SOCKET", "path of the daemon's socket, unless --socket is given")
    page.item("NO_COLOR", "if set, authctl prints no colours")
    page.heading("EXIT STATUS")
    for code in ExitCode.allCases { page.item("\(code.rawValue)", code.meaning) }
    page.seeAlso(("mfad", 8), ("mfad.conf", 5), ("mfad-api", 7), ("mfa-agent", 1))
    return page
  }

  private mutating func add(_ command: Command) {
    item("authctl \(command.name) \(command.usage.text)", "\(command.summary.text).")
    if !command.details.text.isEmpty { paragraphs(command.details.text, isNested: true) }
    nested { page in for option in command.options { page.add(option) } }
    if !command.examples.isEmpty {
      paragraphs(command.examples.map { "  \($0.text)" }.joined(separator: "\n"), isNested: true)
    }
  }
}
