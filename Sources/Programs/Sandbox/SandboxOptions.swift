import Glibc
package import Usage

/// What the command line asks for.
package struct SandboxOptions: ProgramOptions, Equatable {
  private(set) var port: UInt16 = 0
  private(set) var data: String?
  private(set) var isFresh = false
  private(set) var flows: String?
  private(set) var hasSelfService = false
  private(set) var users: [RequestedUser] = []
  /// Where a configuration of mfad is written to.
  private(set) var configuration: String?
  package private(set) var wantsHelp = false
  package private(set) var wantsVersion = false

  /// How the program is used.
  package static let usage = ProgramUsage<SandboxOptions>(
    "pingone-sandbox",
    forms: ["[OPTION]…", "COMMAND [OPTION]…", "--help | --version"],
    summary: "a PingOne platform for demonstrations and tests",
    purpose: """
      A PingOne platform with one environment on 127.0.0.1, for demonstrations and tests. When it serves it prints
      one line of JSON that says where and for whom, and a command acts on the one that you run.
      """,
    options: [
      ProgramOption("--port", takes: "N", "listen on this port; 0, the default, takes any free one") {
        (options, text) throws(UsageError) in
        guard let port = UInt16(text) else {
          throw UsageError("--port takes a number from 0 to 65535, not \"\(text)\"")
        }
        options.port = port
      },
      .text(
        "--data",
        "FILE",
        \.data,
        """
        keep the state in this SQLite database; without it
        nothing is kept
        """
      ),
      .flag("--fresh", \.isFresh, "forget what that database held, and begin anew"),
      ProgramOption(
        "--user",
        takes: "NAME[:PASSWORD]",
        repeats: true,
        """
        begin with this user in the place of ann and bob;
        others can read the password in the list of
        processes; each option names one more
        """
      ) { (options, text) throws(UsageError) in options.users.append(try RequestedUser(text[...])) },
      ProgramOption("--users", takes: "FILE", repeats: true, "the same by each line of a file") {
        (options, path) throws(UsageError) in options.users += try RequestedUser.list(file: path)
      },
      .text(
        "--write-config",
        "FILE",
        \.configuration,
        """
        write a configuration of mfad for this sandbox, in the
        place of one that it wrote before
        """
      ),
      ProgramOption("--flows", takes: "DIR", "the directory with flows to play") {
        (options, path) throws(UsageError) in
        guard isDirectory(path) else {
          throw UsageError("--flows takes a directory, and \"\(path)\" is none")
        }
        options.flows = path
      },
      .flag(
        "--self-service",
        \.hasSelfService,
        """
        begin with what PingOne has off: authenticator apps in
        the policy, and the right of the application to manage
        its users' own devices
        """
      ),
      .help(\.wantsHelp),
      .version(\.wantsVersion),
    ],
    commands: [
      PushCommand.command, PairingKeyCommand.command, CodeCommand.command, ClockCommand.command,
      FaultCommand.command, ConsoleCommand.command, CompletionCommand.command,
    ],
    exitCodes: [(0, "ended by a signal"), (1, "failed"), (2, "wrong usage")]
  )

  package init() {}

  package func check() throws(UsageError) {
    guard data != nil || !isFresh else { throw UsageError("--fresh needs --data") }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }
}

/// Prints what lets a shell complete command lines, and what may stand at the end of one.
struct CompletionCommand: ProgramOptions {
  private var shell: String?
  private(set) var wantsHelp = false

  static let usage = ProgramUsage<CompletionCommand>(
    "pingone-sandbox completion",
    forms: [CompletionScript.shells.joined(separator: "|"), "words -- WORD…"],
    summary: "prints what lets a shell complete command lines",
    purpose: """
      Prints a script by which bash, zsh or fish complete the command lines of pingone-sandbox. It asks "words", which
      prints what may stand in the place of the last WORD, and what that means.
      """,
    operands: [.text("SHELL", choices: CompletionScript.shells, \.shell)],
    options: [.help(\.wantsHelp)],
    exitCodes: [(0, "done"), (1, "failed"), (2, "wrong usage")]
  )

  static let command: ProgramCommand = ProgramCommand(usage) { run($0) }

  private static func run(_ arguments: [String]) -> Int32 {
    guard arguments.dropFirst().starts(with: ["words", "--"]) else {
      return usage.run(arguments) { usage.say("\($0.script ?? "")\n") }
    }
    let found = SandboxOptions.usage.candidates(for: Array(arguments.dropFirst(3)))
    return usage.say(found.map { "\($0.word)\t\($0.meaning)\n" }.joined())
  }

  func check() throws(UsageError) {
    guard script != nil else {
      throw UsageError("SHELL is one of \(CompletionScript.shells.joined(separator: ", "))")
    }
  }

  private var script: String? {
    shell.flatMap { CompletionScript.text(for: $0, of: SandboxOptions.usage.program) }
  }
}
