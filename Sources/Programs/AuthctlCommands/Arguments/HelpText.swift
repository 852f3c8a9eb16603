internal import ControlClient
internal import JSONRPC

enum HelpText {
  static func usage(of command: Command) -> SafeText {
    let usage: SafeText = "authctl \(command.name)"
    return command.usage.text.isEmpty ? usage : "\(usage) \(command.usage)"
  }

  /// What `authctl --help` prints.
  static var overview: SafeText {
    let commands = Columns.lines(Command.all.map { ["  \($0.name)", $0.summary] })
    let codes = Columns.lines(ExitCode.allCases.map { ["  \($0.rawValue)", "\($0.meaning)"] })
    return """
      usage: authctl [--socket PATH] [--json] [--timeout SECONDS] COMMAND …

      Talks to mfad, the PingOne MFA authenticator of this machine.

      commands:
      \(commands.joined(separator: "\n"))

      options, before the command or after it:
      \(lines(Option.common))

      "authctl help COMMAND" explains a command.

      The socket is --socket, else MFAD_SOCKET, else /run/mfad/mfad.sock if it can be connected,
      else $XDG_RUNTIME_DIR/mfad/mfad.sock. Nothing is sent before it is certain who listens there.

      With --json an error is {"error":{"code":…,"message":…,"data":{"reason":…}}} on standard output.
      One that the daemon did not answer with has code 0 and one of these reasons:
      \(reasons)

      exit codes:
      \(codes.joined(separator: "\n"))
      """
  }

  /// What `authctl help COMMAND` prints.
  static func page(of command: Command) -> SafeText {
    let options = command.options + Option.common
    let details: SafeText = command.details.text.isEmpty ? "" : "\n\n\(command.details)"
    return """
      usage: \(usage(of: command))

      \(command.summary)\(details)

      options:
      \(lines(options))
      """
  }

  private static func lines(_ options: [Option]) -> SafeText {
    let rows = options.map { option -> [SafeText] in
      let name: SafeText = option.short.map { "\($0), \(option.name)" } ?? "\(option.name)"
      return ["  \(name)\(option.value.map { " \($0)" } ?? "")", option.help]
    }
    return Columns.lines(rows).joined(separator: "\n")
  }

  private static var reasons: SafeText {
    let names = Failure.Reason.allCases.map { "\($0.rawValue)" as SafeText }
    return stride(from: 0, to: names.count, by: 5).map { start -> SafeText in
      "  \(names[start..<min(start + 5, names.count)].joined(separator: ", "))"
    }
    .joined(separator: "\n")
  }
}
