internal import Glibc
internal import SystemCalls

/// The usage of a program, the source of its command-line parser, its help text and its manual page.
public struct ProgramUsage: Sendable {
  public let program: String
  /// The forms of a command line, without the program's name.
  public let forms: [String]
  /// A one-line description for the manual page.
  public let summary: String
  /// The purpose of the program, in lines no longer than a terminal.
  public let purpose: String
  /// The positional arguments; optional ones are in brackets.
  public let operands: [String]
  /// The allowed values of the first positional argument; empty if any value is allowed.
  let choices: [String]
  public let options: [Option]
  /// The subcommands.
  public let commands: [ProgramCommand]
  public let notes: String
  /// The exit codes and their meanings.
  public let exitCodes: [(code: Int32, meaning: String)]

  public init(
    _ program: String,
    forms: [String],
    summary: String,
    purpose: String,
    operands: [String] = [],
    choices: [String] = [],
    options: [Option],
    commands: [ProgramCommand] = [],
    notes: String = "",
    exitCodes: [(code: Int32, meaning: String)]
  ) {
    (self.program, self.forms, self.summary, self.purpose) = (program, forms, summary, purpose)
    (self.operands, self.choices, self.options) = (operands, choices, options)
    (self.commands, self.notes, self.exitCodes) = (commands, notes, exitCodes)
  }

  /// Reads the words that follow the program's name.
  func read(_ words: ArraySlice<String>) throws(UsageError) -> Arguments {
    var reader = ArgumentReader(words)
    try reader.readAll(options, maximumWords: operands.count, commands: commands.map(\.name))
    for option in options { try option.check(reader.arguments) }
    return reader.arguments
  }

  /// The forms with the program's name.
  public var calls: [String] { forms.map { "\(program) \($0)" } }

  /// The output of `--help`.
  public var help: String {
    let indent = "\n" + String(repeating: " ", count: "usage: ".count)
    let codes = exitCodes.map { "\($0.code) \($0.meaning)" }.joined(separator: ", ")
    return """
      usage: \(calls.joined(separator: indent))

      \(purpose)

      \(Self.columns(options.map { ($0.shown, $0.help) }))

      \(commands.isEmpty ? "" : commandLines)\(notes.isEmpty ? "" : notes + "\n")Exit codes: \(codes).

      """
  }

  private var commandLines: String {
    """
    Commands, each with a --help of its own:
    \(Self.columns(commands.map { ($0.name, $0.usage.summary) }))


    """
  }

  private static func columns(_ rows: [(term: String, meaning: String)]) -> String {
    let width = rows.map(\.term.count).max() ?? 0
    let below = "\n" + String(repeating: " ", count: width + 4)
    return rows.map { term, meaning in
      let text = meaning.split(separator: "\n").joined(separator: below)
      return "  \(term)\(String(repeating: " ", count: width - term.count))  \(text)"
    }.joined(separator: "\n")
  }
}

/// The options of a program, read from its command line.
public protocol ProgramOptions: Sendable {
  static var usage: ProgramUsage { get }
  /// Reads the options. Throws an error for an invalid combination.
  init(_ arguments: Arguments) throws(UsageError)
}

extension ProgramOptions {
  /// Reads the words that follow the program's name.
  public init(parsing words: ArraySlice<String>) throws(UsageError) { try self.init(Self.usage.read(words)) }

  /// Parses the command line, which begins with the program's name, and calls `body`; returns the exit code.
  ///
  /// Handles subcommands, `--help`, `--version` and usage errors itself.
  public static func run(_ words: [String], _ body: (Self) -> Int32) -> Int32 {
    let rest = words.dropFirst()
    if let command = usage.commands.first(where: { $0.name == rest.first }) {
      return command.run(Array(rest))
    }
    do throws(UsageError) {
      let arguments = try usage.read(rest)
      if arguments.has(Option.help.name) { return usage.say(usage.help) }
      if arguments.has(Option.version.name) { return usage.say("\(usage.program) \(Version.dated)\n") }
      return body(try Self(arguments))
    } catch {
      usage.complain("\(error)", hint: error.hint ?? "see \"\(usage.program) --help\"")
      return wrongUsage
    }
  }

  private static var wrongUsage: Int32 { 2 }
}

/// A subcommand of a program, with its own usage.
public struct ProgramCommand: Sendable {
  /// The usage of the subcommand; the last word of `program` is the subcommand's name.
  public let usage: ProgramUsage
  /// Runs the subcommand; takes its name and arguments, and returns the exit code.
  public let run: @Sendable ([String]) -> Int32

  public init(_ usage: ProgramUsage, run: @escaping @Sendable ([String]) -> Int32) {
    (self.usage, self.run) = (usage, run)
  }

  public var name: String { usage.program.split(separator: " ").last.map(String.init) ?? usage.program }
}

extension ProgramUsage {
  /// Writes text to standard output unbuffered, so that the reader of a pipe gets it immediately.
  ///
  /// Returns an exit code: failure if the text was not written completely.
  public func say(_ text: String) -> Int32 {
    do {
      try writeWhole(Array(text.utf8), to: STDOUT_FILENO)
      return EXIT_SUCCESS
    } catch { return EXIT_FAILURE }
  }

  /// Writes an error and a hint to standard error.
  public func complain(_ problem: String, hint: String? = nil) {
    let lines = ["\(program): error: \(problem)\n"] + (hint.map { ["\(program): hint: \($0)\n"] } ?? [])
    // If this write fails, the exit code still reports the error.
    try? writeWhole(Array(lines.joined().utf8), to: STDERR_FILENO)
  }
}
