internal import Glibc
internal import SystemCalls

/// How a program is used: what reads its command line, explains it, and stands in its manual page.
public struct ProgramUsage: Sendable {
  public let program: String
  /// What may stand after its name.
  public let forms: [String]
  /// What it is, as a manual page says it in a line.
  public let summary: String
  /// What it does; lines no longer than a terminal.
  public let purpose: String
  /// The words that mean something by their place; those that may be left out are in brackets.
  public let operands: [String]
  /// The choices for the first operand; empty if any word will do.
  let choices: [String]
  public let options: [Option]
  /// What else it does, by the word that comes first.
  public let commands: [ProgramCommand]
  public let notes: String
  /// What it ends with, and what that says.
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

  /// How it is called, with its name.
  public var calls: [String] { forms.map { "\(program) \($0)" } }

  /// What `--help` prints.
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
  /// Reads the options; throws for a combination that is not allowed.
  init(_ arguments: Arguments) throws(UsageError)
}

extension ProgramOptions {
  /// Reads the words that follow the program's name.
  public init(parsing words: ArraySlice<String>) throws(UsageError) { try self.init(Self.usage.read(words)) }

  /// Goes by the command line, the program's name first, unless it is wrong or asks only what the program is; returns the
  /// exit code.
  public static func run(_ words: [String], _ body: (Self) -> Int32) -> Int32 {
    let rest = words.dropFirst()
    if let command = usage.commands.first(where: { $0.name == rest.first }) {
      return command.run(Array(rest))
    }
    do throws(UsageError) {
      let arguments = try usage.read(rest)
      if arguments.has(Option.help.name) { return usage.say(usage.help) }
      if arguments.has(Option.version.name) { return usage.say("\(usage.program) \(Version.text)\n") }
      return body(try Self(arguments))
    } catch {
      usage.complain("\(error)", hint: error.hint ?? "see \"\(usage.program) --help\"")
      return wrongUsage
    }
  }

  private static var wrongUsage: Int32 { 2 }
}

/// Something else that a program does where this word comes first: a program within the program.
public struct ProgramCommand: Sendable {
  /// How it is used, under the last word of its name.
  public let usage: ProgramUsage
  /// Does it with the word and the arguments that follow it, and gives the exit code.
  public let run: @Sendable ([String]) -> Int32

  public init(_ usage: ProgramUsage, run: @escaping @Sendable ([String]) -> Int32) {
    (self.usage, self.run) = (usage, run)
  }

  public var name: String { usage.program.split(separator: " ").last.map(String.init) ?? usage.program }
}

extension ProgramUsage {
  /// Prints a text on standard output, past the library's buffers, so that whoever reads a pipe has it at once; the exit
  /// code says whether all of it was written.
  public func say(_ text: String) -> Int32 {
    do {
      try writeWhole(Array(text.utf8), to: STDOUT_FILENO)
      return EXIT_SUCCESS
    } catch { return EXIT_FAILURE }
  }

  /// Says on standard error why the program cannot go on, and what helps.
  public func complain(_ problem: String, hint: String? = nil) {
    let lines = ["\(program): error: \(problem)\n"] + (hint.map { ["\(program): hint: \($0)\n"] } ?? [])
    // To whoever cannot be told the exit code says it.
    try? writeWhole(Array(lines.joined().utf8), to: STDERR_FILENO)
  }
}
