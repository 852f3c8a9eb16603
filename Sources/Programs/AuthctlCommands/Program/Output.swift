internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import JSON
internal import SystemCalls

/// Where results and messages go: results to standard output, everything else to standard error.
public final class Output {
  /// Whether results are printed as JSON.
  let asJSON: Bool

  /// Whether the daemon is the user's own and not the machine's, as far as it was met.
  var isOfOwnDaemon = false

  init(asJSON: Bool) { self.asJSON = asJSON }

  /// Whether standard output is a terminal.
  var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// How many columns a text has that is read there.
  var width: Int { Self.width(of: STDOUT_FILENO) }

  /// How many columns a text has on a terminal; no more than reads well.
  private static func width(of descriptor: Int32) -> Int {
    let columns = WindowSize(of: descriptor).columns
    return columns > 0 ? min(widest, columns) : widest
  }

  private static let widest = 100

  /// The rows of a table as wide as the terminal is; a file gets them as they are.
  private func fitted(_ rows: [SafeText], on descriptor: Int32) -> [SafeText] {
    let width = WindowSize(of: descriptor).columns
    return rows.flatMap { Columns.fitted($0, width: width) }
  }

  /// Whether words of results may have colours too.
  var hasColours: Bool {
    isTerminal && ProcessEnvironment.value("NO_COLOR") == nil
      && !["dumb", nil].contains(ProcessEnvironment.value("TERM"))
  }

  /// Whether standard error is a terminal.
  var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Prints a line of the result.
  func line(_ text: SafeText) throws(Failure) {
    do { try Self.write("\(text.text)\n", to: STDOUT_FILENO) } catch {
      throw .local(.output, "cannot write to standard output: \(String(cString: strerror(error.code)))")
    }
  }

  /// Writes on a terminal over the line that it is in; whoever is gone is told nothing.
  func restart(_ text: SafeText) { try? Self.write(text.text, to: STDOUT_FILENO) }

  /// Prints a method's result: as it came, or as a person wants to read it.
  func result<Value>(
    _ reply: Reply<Value>,
    none: SafeText? = nil,
    _ lines: (Value) -> [SafeText]
  ) throws(Failure) {
    guard !asJSON else { return try line(SafeText(reply.json)) }
    let texts = lines(try reply.value)
    for text in fitted(texts, on: STDOUT_FILENO) { try line(text) }
    if texts.isEmpty, let none { note(none) }
  }

  /// Says something that is neither result nor error; on a terminal that is too narrow for it no word is broken.
  func note(_ text: SafeText) {
    let line: SafeText = "authctl: \(text)"
    let width = Self.width(of: STDERR_FILENO)
    let isWrapped = showsProgress && line.columns > width
    let lines = isWrapped ? Wrapping.lines(line, width: width) : [line]
    try? Self.write(lines.map { "\($0.text)\n" }.joined(), to: STDERR_FILENO)
  }

  /// Says what a person can do next.
  func hint(_ text: SafeText) { note("hint: \(advice(text.text))") }

  /// What a person is advised, in the words that fit who reads it and whose daemon was met.
  func advice(_ text: String) -> String { Advice.words(text, isOfOwnDaemon: isOfOwnDaemon) }

  /// Tells why the command failed.
  func report(_ failure: Failure) {
    switch failure {
    case .refused(let refusal):
      report(refusal.json, refusal.message, hint: refusal.hint, list: refusal.accounts)
    case .failed(let complaint):
      report(complaint.json, complaint.message, hint: complaint.hint, list: complaint.list)
    case .told, .interrupted: break
    }
  }

  private func report(_ error: JSON, _ message: SafeText, hint text: SafeText?, list: [SafeText]) {
    if asJSON {
      // Nothing is left to be done when that cannot be written either: the exit code tells.
      _ = try? line(SafeText(["error": error]))
      return
    }
    note("error: \(message)")
    for text in fitted(list.map { "  \($0)" }, on: STDERR_FILENO) {
      try? Self.write("\(text.text)\n", to: STDERR_FILENO)
    }
    if let text { hint(text) }
  }

  private static func write(_ text: String, to descriptor: Int32) throws(SystemError) {
    try writeWhole(Array(text.utf8), to: descriptor)
  }
}
