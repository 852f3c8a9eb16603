import Glibc
public import Usage

/// What the command line asks for.
public struct SandboxOptions: ProgramOptions, Equatable {
  let port: UInt16
  let data: String?
  let isFresh: Bool
  let flows: String?
  let hasSelfService: Bool
  let users: [RequestedUser]
  /// Where a configuration of mfad is written to.
  let configuration: String?

  public init(_ arguments: Arguments) throws(UsageError) {
    port = try arguments.value("--port", "a number from 0 to 65535") { UInt16($0) } ?? 0
    (data, isFresh) = (arguments["--data"], arguments.has("--fresh"))
    guard data != nil || !isFresh else { throw UsageError("--fresh needs --data") }
    (configuration, hasSelfService) = (arguments["--write-config"], arguments.has("--self-service"))
    flows = arguments["--flows"]
    if let flows, !Self.isDirectory(flows) {
      throw UsageError("--flows takes a directory, and \"\(flows)\" is none")
    }
    var users: [RequestedUser] = []
    for (option, value) in arguments.all(of: "--user", "--users") {
      users += option == "--user" ? [try RequestedUser(value[...])] : try RequestedUser.list(file: value)
    }
    self.users = users
  }

  /// How the program is used.
  public static let usage = ProgramUsage(
    "pingone-sandbox",
    forms: ["[OPTION]…", "COMMAND [OPTION]…", "--help | --version"],
    summary: "a PingOne platform for demonstrations and tests",
    purpose: """
      A PingOne platform with one environment on 127.0.0.1, for demonstrations and tests. When it serves it prints
      one line of JSON that says where and for whom, and a command acts on the one that you run.
      """,
    options: [
      Option("--port", takes: "N", "listen on this port; 0, the default, takes any free one"),
      Option(
        "--data",
        takes: "FILE",
        """
        keep the state in this SQLite database; without it
        nothing is kept
        """
      ),
      Option("--fresh", "forget what that database held, and begin anew"),
      Option(
        "--user",
        takes: "NAME[:PASSWORD]",
        repeats: true,
        """
        begin with this user in the place of ann and bob;
        others can read the password in the list of
        processes; each option names one more
        """
      ),
      Option("--users", takes: "FILE", repeats: true, "the same by each line of a file"),
      Option(
        "--write-config",
        takes: "FILE",
        """
        write a configuration of mfad for this sandbox, in the
        place of one that it wrote before
        """
      ),
      Option("--flows", takes: "DIR", "the directory with flows to play"),
      Option(
        "--self-service",
        """
        begin with what PingOne has off: authenticator apps in
        the policy, and the right of the application to manage
        its users' own devices
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

/// Prints what lets a shell complete command lines, and what may stand at the end of one.
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
    summary: "prints what lets a shell complete command lines",
    purpose: """
      Prints a script by which bash, zsh or fish complete the command lines of pingone-sandbox. It asks "words", which
      prints what may stand in the place of the last WORD, and what that means.
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
