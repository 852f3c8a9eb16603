import Glibc
public import Usage

/// The parsed command line.
public struct SandboxOptions: ProgramOptions, Equatable {
  let port: UInt16
  let data: String?
  let isFresh: Bool
  let flows: String?
  let hasSelfService: Bool
  let users: [RequestedUser]
  /// Path of the mfad configuration to write.
  let configuration: String?

  public init(_ arguments: Arguments) throws(UsageError) {
    port = try arguments.value("--port", "a number from 0 to 65535") { UInt16($0) } ?? 0
    (data, isFresh) = (arguments["--data"], arguments.has("--fresh"))
    guard data != nil || !isFresh else { throw UsageError("--fresh needs --data") }
    (configuration, hasSelfService) = (arguments["--write-config"], arguments.has("--self-service"))
    flows = arguments["--flows"]
    if let flows, !Self.isDirectory(flows) {
      throw UsageError("--flows takes a directory, and \"\(flows)\" is not one")
    }
    var users: [RequestedUser] = []
    for (option, value) in arguments.all(of: "--user", "--users") {
      users += option == "--user" ? [try RequestedUser(value[...])] : try RequestedUser.list(file: value)
    }
    self.users = users
  }

  public static let usage = ProgramUsage(
    "pingone-sandbox",
    forms: ["[OPTION]…", "COMMAND [OPTION]…", "--help | --version"],
    summary: "a PingOne platform for demonstrations and tests",
    purpose: """
      A PingOne platform with one environment on 127.0.0.1, for demonstrations and tests. When it is ready, it
      prints its URL, users with passwords and the next commands; if standard output is not a terminal, one
      line of JSON with all credentials instead. A command acts on your running sandbox.
      """,
    options: [
      Option("--port", takes: "N", "listen on this port (default: 0, any free port)"),
      Option(
        "--data",
        takes: "FILE",
        """
        keep the state in this SQLite database (default:
        keep it in memory only)
        """
      ),
      Option("--fresh", "delete the state in that database before the start"),
      Option(
        "--user",
        takes: "NAME[:PASSWORD]",
        repeats: true,
        """
        start with this user instead of ann and bob; may be
        repeated; other users of this machine can read the
        password in the process list
        """
      ),
      Option("--users", takes: "FILE", repeats: true, "like --user, for each line of a file"),
      Option(
        "--write-config",
        takes: "FILE",
        """
        write a configuration of mfad for this sandbox; it
        replaces one that the sandbox wrote before
        """
      ),
      Option("--flows", takes: "DIR", "play the flows in this directory"),
      Option(
        "--self-service",
        """
        enable settings that PingOne has off: authenticator
        apps in the policy, and the right of the application
        to manage its users' own devices
        """
      ),
      .help,
      .version,
    ],
    commands: [
      PushCommand.command, PairingKeyCommand.command, CodeCommand.command, ClockCommand.command,
      FaultCommand.command, ConsoleCommand.command, CompletionCommand.command,
    ],
    exitCodes: [(0, "ended by a signal"), (1, "failed"), (2, "wrong usage")]
  )

  private static func isDirectory(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }
}

/// Prints a completion script for a shell, or the candidates for the last word of a command line.
struct CompletionCommand: ProgramOptions {
  private let script: String

  init(_ arguments: Arguments) throws(UsageError) {
    let script = arguments.words.first.flatMap {
      CompletionScript.text(for: $0, of: SandboxOptions.usage.program)
    }
    guard let script else {
      throw UsageError("SHELL is one of \(CompletionScript.shells.joined(separator: ", "))")
    }
    self.script = script
  }

  static let usage = ProgramUsage(
    "pingone-sandbox completion",
    forms: [CompletionScript.shells.joined(separator: "|"), "words -- WORD…"],
    summary: "prints a completion script for a shell",
    purpose: """
      Prints a script with which bash, zsh or fish completes command lines of pingone-sandbox. The script runs "words",
      which prints the candidates for the last WORD and their meanings.
      """,
    operands: ["SHELL"],
    choices: CompletionScript.shells,
    options: [.help],
    exitCodes: [(0, "done"), (1, "failed"), (2, "wrong usage")]
  )

  static let command = ProgramCommand(usage) { complete($0) }

  private static func complete(_ arguments: [String]) -> Int32 {
    guard arguments.dropFirst().starts(with: ["words", "--"]) else {
      return run(arguments) { usage.say($0.script + "\n") }
    }
    let found = SandboxOptions.usage.candidates(for: Array(arguments.dropFirst(3)))
    return usage.say(found.map { "\($0.word)\t\($0.meaning)\n" }.joined())
  }
}
