internal import CLinux
internal import ControlClient
internal import Glibc
internal import JSONRPC
internal import Usage

/// The program `authctl`: parses the command line, runs one command and returns the exit code.
public enum Program {
  /// Runs a command line, which begins with the program's name, and returns the exit code.
  public static func run(_ words: [String]) -> Int32 {
    Output.occupyClosedDescriptors()
    // A closed pipe ends the program silently, even under a parent that ignores SIGPIPE.
    signal(SIGPIPE, SIG_DFL)
    // The input may be a password: forbid core files, and debuggers of the same user.
    _ = clinux_forbid_dumps()
    clinux_die_silently()
    let words = Array(words.dropFirst())
    let output = Output(asJSON: words.prefix { $0 != "--" }.contains("--json"))
    do {
      try run(words, output)
      return ExitCode.done.rawValue
    } catch {
      return end(error, output)
    }
  }

  private static func run(_ words: [String], _ output: Output) throws(Failure) {
    switch try CommandLineReader.read(words) {
    case .version: try output.line("authctl \(Version.dated)")
    case .help(nil): try output.line(HelpText(width: output.width).overview)
    case .help(let command?): try output.line(HelpText(width: output.width).page(of: command))
    case .run(let command, let arguments):
      try command.run(Session(command, arguments, output, timeout: try arguments.timeout))
    }
  }

  private static func end(_ failure: Failure, _ output: Output) -> Int32 {
    if case .interrupted(let number) = failure { die(of: number) }
    output.report(failure)
    return failure.exitCode.rawValue
  }

  /// Ends the program with the signal itself, so that a shell that runs a script stops too.
  private static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    raise(number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    exit(128 + number)
  }
}
