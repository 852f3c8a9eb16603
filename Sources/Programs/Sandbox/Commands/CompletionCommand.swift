import Usage

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
