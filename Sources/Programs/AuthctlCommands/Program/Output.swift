internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import JSON
internal import SystemCalls

/// Writes results to standard output and everything else to standard error.
public final class Output {
  /// True if results are printed as JSON.
  let asJSON: Bool

  /// True if the connected daemon is the user's own and not the machine's.
  var isOfOwnDaemon = false

  init(asJSON: Bool) { self.asJSON = asJSON }

  /// True if standard output is a terminal.
  var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Number of columns for text on standard output; through a pipe, those of the terminal behind it.
  var width: Int {
    let isPiped = !isTerminal && showsProgress
    return Self.width(of: isPiped ? STDERR_FILENO : STDOUT_FILENO)
  }

  /// Returns the width of the terminal, at most `widest` columns; without a terminal `usual`.
  private static func width(of descriptor: Int32) -> Int {
    let columns = WindowSize(of: descriptor).columns
    return columns > 0 ? min(widest, columns) : usual
  }

  private static let usual = 80
  private static let widest = 100

  /// Returns the rows fitted to the terminal; for a file, unchanged.
  private func fitted(_ rows: [SafeText], on descriptor: Int32) -> [SafeText] {
    let width = WindowSize(of: descriptor).columns
    return rows.flatMap { Columns.fitted($0, width: width) }
  }

  /// True if results may contain colours.
  var hasColours: Bool {
    isTerminal && ProcessEnvironment.value("NO_COLOR") == nil
      && !["dumb", nil].contains(ProcessEnvironment.value("TERM"))
  }

  /// True if standard error is a terminal.
  var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Throws if standard output is closed.
  func checkIsOpen() throws(Failure) {
    let flags = fcntl(STDOUT_FILENO, F_GETFL)
    guard flags < 0 || flags & O_ACCMODE == O_RDONLY else { return }
    throw .local(.output, "standard output is closed", hint: "redirect it to a file or to /dev/null instead")
  }

  /// Opens each closed standard descriptor for the wrong direction, so that no socket gets its number.
  static func occupyClosedDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Prints a line on standard output.
  func line(_ text: SafeText) throws(Failure) {
    do { try Self.write("\(text.text)\n", to: STDOUT_FILENO) } catch {
      throw .local(.output, "cannot write to standard output: \(String(cString: strerror(error.code)))")
    }
  }

  /// Overwrites the current line of the terminal; errors are ignored.
  func restart(_ text: SafeText) { try? Self.write(text.text, to: STDOUT_FILENO) }

  /// Prints a method's result as JSON or as text.
  ///
  /// `none` is the note for a result without lines.
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

  /// Prints a note on standard error.
  ///
  /// On a narrow terminal it wraps between words.
  func note(_ text: SafeText) {
    let line: SafeText = "authctl: \(text)"
    let width = Self.width(of: STDERR_FILENO)
    let isWrapped = showsProgress && line.columns > width
    let lines = isWrapped ? Wrapping.lines(line, width: width) : [line]
    try? Self.write(lines.map { "\($0.text)\n" }.joined(), to: STDERR_FILENO)
  }

  /// Prints a hint.
  func hint(_ text: SafeText) { note("hint: \(advice(text.text))") }

  /// Returns the advice adapted to the user (root or not) and to the daemon (own or of the machine).
  func advice(_ text: String) -> String { Advice.words(text, isOfOwnDaemon: isOfOwnDaemon) }

  /// Prints the error of the command.
  func report(_ failure: Failure) {
    switch failure {
    case .refused(let refusal):
      let isAboutOwner = refusal.isOne(of: .notConfigured, .notPaired, .notFound)
      report(refusal.json, refusal.message, hint: refusal.hint, list: refusal.accounts, isAboutOwner)
    case .failed(let complaint):
      let isAboutOwner = complaint.reason == .notFound
      report(complaint.json, complaint.message, hint: complaint.hint, list: complaint.list, isAboutOwner)
    case .told, .interrupted: break
    }
  }

  private func report(
    _ error: JSON,
    _ message: SafeText,
    hint text: SafeText?,
    list: [SafeText],
    _ isAboutOwner: Bool
  ) {
    if asJSON {
      // Ignore an error of this write: the exit code reports the failure.
      _ = try? line(SafeText(["error": error]))
      return
    }
    note("error: \(message)")
    if isAboutOwner, let user = Self.userOfSudo {
      note("this is the authenticator of root; without sudo, \"authctl\" uses that of \(user)")
    }
    for text in fitted(list.map { "  \($0)" }, on: STDERR_FILENO) {
      try? Self.write("\(text.text)\n", to: STDERR_FILENO)
    }
    if let text { hint(text) }
  }

  /// The user that runs this program by sudo(8); `nil` if there is none or it is root too.
  private static var userOfSudo: String? {
    geteuid() == 0 ? ProcessEnvironment.value("SUDO_USER").flatMap { $0 == "root" ? nil : $0 } : nil
  }

  private static func write(_ text: String, to descriptor: Int32) throws(SystemError) {
    try writeWhole(Array(text.utf8), to: descriptor)
  }
}
