public import ControlClient
internal import JSONRPC
internal import Usage

/// The text of `authctl help`, wrapped to the width of the terminal.
public struct HelpText {
  let width: Int

  static func usage(of command: Command) -> SafeText {
    let usage: SafeText = "authctl \(command.name)"
    return command.usage.text.isEmpty ? usage : "\(usage) \(command.usage)"
  }

  /// The text of `authctl --help`.
  var overview: SafeText {
    """
    \(wrapped("usage: authctl [--socket PATH] [--json] [--timeout SECONDS] COMMAND …"))

    \(wrapped("Talks to mfad, the PingOne MFA authenticator of this machine."))

    \(groups)

    options, before the command or after it:
    \(lines(Option.common))

    examples:
    \(Self.indented(Self.examples))

    \(wrapped(Self.notes))

    \(wrapped(Self.errors))
    \(reasons)

    exit codes:
    \(columns(ExitCode.allCases.map { ["  \($0.rawValue)", "\($0.meaning)"] }))
    """
  }

  /// Returns the text of `authctl help COMMAND`.
  func page(of command: Command) -> SafeText {
    let details: SafeText = command.details.text.isEmpty ? "" : "\n\n\(wrapped(command.details))"
    let examples: SafeText =
      command.examples.isEmpty ? "" : "\n\nexamples:\n\(Self.indented(command.examples))"
    return """
      \(wrapped("usage: \(Self.usage(of: command))"))

      \(wrapped(command.summary))\(details)

      options:
      \(lines(command.options + Option.common))\(examples)
      """
  }

  private static let examples: [SafeText] = [
    "authctl status", "authctl login", "authctl otp github", "authctl approve --wait",
  ]

  public static let notes: SafeText = """
    "authctl help COMMAND" explains a command, "authctl completion bash" completes them in a shell.

    The socket is --socket, else MFAD_SOCKET, else /run/mfad/mfad.sock if it accepts connections, else
    $XDG_RUNTIME_DIR/mfad/mfad.sock. authctl sends nothing before it has verified the daemon's user and the
    permissions of the directories.
    """

  private static let errors: SafeText = """
    With --json an error is printed on standard output as
    {"error":{"code":…,"message":…,"data":{"reason":…}}}. A command that ends by Ctrl-C or another signal
    prints none. Errors that do not come from the daemon have code 0 and one of these reasons:
    """

  /// The names of all commands by group.
  static var commands: [SafeText] {
    let rows = CommandGroup.all.map { group -> [SafeText] in
      [group.title, group.commands.map { "\($0.name)" as SafeText }.joined(separator: ", ")]
    }
    return Wrapping.columns(rows, width: 78)
  }

  private var groups: SafeText {
    CommandGroup.all.map { group -> SafeText in
      "\(group.title):\n\(columns(group.commands.map { ["  \($0.name)", $0.summary] }))"
    }
    .joined(separator: "\n\n")
  }

  private func lines(_ options: [Option]) -> SafeText {
    columns(options.map { ["  \($0.shown)", "\($0.help)"] })
  }

  private func columns(_ rows: [[SafeText]]) -> SafeText {
    Wrapping.columns(rows, width: width).joined(separator: "\n")
  }

  private func wrapped(_ text: SafeText) -> SafeText {
    Wrapping.lines(text, width: width).joined(separator: "\n")
  }

  private static func indented(_ lines: [SafeText]) -> SafeText {
    lines.map { "  \($0)" as SafeText }.joined(separator: "\n")
  }

  private var reasons: SafeText {
    let names = Failure.Reason.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
    return Wrapping.columns([["", "\(names)"]], width: width).joined(separator: "\n")
  }
}
