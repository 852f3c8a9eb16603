internal import Configuration
internal import ControlClient
internal import Glibc
internal import QRCode
internal import SystemCalls
internal import UnixSockets

/// The user's terminal, independent of standard output and standard error.
final class Terminal {
  private let descriptor: Descriptor
  private let waiter: Waiter
  private var lines: LineReader

  private static let maximumLine = 64 * 1024

  private init(_ descriptor: Descriptor, _ waiter: Waiter) {
    self.descriptor = descriptor
    self.waiter = waiter
    lines = LineReader(descriptor, maximumLine: Self.maximumLine)
  }

  /// Returns the terminal; `nil` if standard input is redirected, so that another program may give the
  /// answers.
  static func open(_ waiter: Waiter) -> Terminal? {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    let number = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    return Terminal(Descriptor(owning: number), waiter)
  }

  var number: Int32 { descriptor.number }

  let movesCursor = !["dumb", nil].contains(ProcessEnvironment.value("TERM"))

  let isUnicode = UserLocale.isUTF8()

  var size: WindowSize { WindowSize(of: descriptor.number) }

  var columns: Int { size.columns }

  /// Number of rows shown since `beginPage`.
  private(set) var rowsOfPage = 0

  /// Starts a page: rows that should stay on the screen together.
  func beginPage() { rowsOfPage = 0 }

  func show(_ lines: [SafeText]) {
    let width = max(1, columns)
    for line in lines {
      write("\(line)\n")
      rowsOfPage += max(1, (line.columns + width - 1) / width)
    }
  }

  /// Shows the rows of a list, fitted to the width of the terminal.
  func showRows(_ rows: [SafeText]) {
    let width = columns
    show(rows.flatMap { Columns.fitted($0, width: width) })
  }

  /// Shows paragraphs, wrapped to the width of the terminal; indented lines are not wrapped.
  func explain(_ paragraphs: [SafeText]) {
    let width = columns
    show(width > 0 ? paragraphs.flatMap { Wrapping.lines($0, width: width) } : paragraphs)
  }

  /// Asks for a line.
  ///
  /// Returns `nil` at the end of input. A decision cannot be typed before the prompt appears.
  func ask(_ prompt: SafeText, isDecision: Bool = false) throws(Failure) -> String? {
    if isDecision { discardInput() }
    begin(prompt)
    defer { waiter.onSuspend = nil }
    return try line()
  }

  /// Asks for a decision, which cannot be typed before the prompt appears.
  ///
  /// Calls `look` whenever another descriptor is readable; an error of `look` ends the question. Updates the
  /// countdown before the prompt every second if the terminal can move its cursor.
  func ask(
    _ prompt: SafeText,
    beside other: Int32,
    countdown: @escaping () -> SafeText?,
    _ look: () throws(Failure) -> Void
  ) throws(Failure) -> String? {
    discardInput()
    let head = countdown()
    let whole: SafeText = head.map { "\($0) \(prompt)" } ?? prompt
    begin(whole)
    defer { waiter.onSuspend = nil }
    let isLive = movesCursor && head != nil && whole.columns + 2 < columns
    do {
      try look()
      return try line(beside: other, look) {
        guard isLive, let head, let now = countdown() else { return }
        self.write("\u{1B}7\r\(now.padded(to: head.columns))\u{1B}8")
      }
    } catch {
      write("\n")
      throw error
    }
  }

  /// Discards the input so far, which was not meant for a question that is still to be shown.
  private func discardInput() {
    tcflush(descriptor.number, TCIFLUSH)
    lines.wipe()
  }

  /// Shows a prompt, and shows it again when the program continues after a suspension.
  private func begin(_ prompt: SafeText) {
    waiter.catchSignals()
    write("\(prompt): ")
    waiter.onSuspend = { [self] in { self.write("\(prompt): ") } }
  }

  /// Asks for a hidden line.
  ///
  /// Restores the echo on every exit.
  func askHidden(_ prompt: SafeText) throws(Failure) -> String? {
    waiter.catchSignals()
    guard let echo = Echo(descriptor) else { return try ask(prompt) }
    echo.hide()
    // The prompt comes after `hide`, because the user may type as soon as it appears.
    write("\(prompt): ")
    waiter.onSuspend = { [self] in
      echo.restore()
      return {
        echo.hide()
        self.write("\(prompt): ")
      }
    }
    defer {
      waiter.onSuspend = nil
      lines.wipe()
      echo.restore()
    }
    do { return try line() } catch {
      // No Enter has ended the line of the prompt.
      write("\n")
      throw error
    }
  }

  /// Asks a question.
  ///
  /// Returns true only for `y` or `yes`.
  func confirm(_ question: SafeText) throws(Failure) -> Bool {
    let answer = try ask("\(question) [y/N]", isDecision: true)?.lowercased()
    return answer == "y" || answer == "yes"
  }

  /// Returns true if a line or the end of input can be read.
  func hasLine() throws(Failure) -> Bool {
    try waiter.wait(for: descriptor.number, POLLIN, until: .after(.zero))
  }

  /// Returns the typed line; `nil` at the end of input.
  ///
  /// Calls `tick` every second.
  func line(
    beside other: Int32 = -1,
    _ look: () throws(Failure) -> Void = {},
    everySecond tick: (() -> Void)? = nil
  ) throws(Failure) -> String? {
    while true {
      let deadline: Deadline = tick == nil ? .never : .after(.seconds(1))
      switch try lines.next(waiter, until: deadline, beside: other) {
      case .line(let bytes):
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw .local(.usage, "the typed line is not UTF-8")
        }
        return text
      case .tooLong: throw .local(.usage, "the typed line is longer than \(Self.maximumLine / 1024) KiB")
      case .beside: try look()
      case .timedOut: tick?()
      case .end:
        write("\n")
        return nil
      }
    }
  }

  /// Writes without a line feed; errors are ignored.
  func write(_ text: SafeText) { try? writeWhole(Array(text.text.utf8), to: descriptor.number) }
}

/// The echo of a terminal.
private final class Echo {
  private let descriptor: Descriptor
  private let before: termios

  /// Saves the settings of the terminal; `nil` if the descriptor is not a terminal.
  init?(_ descriptor: Descriptor) {
    var state = termios()
    guard tcgetattr(descriptor.number, &state) == 0 else { return nil }
    self.descriptor = descriptor
    before = state
  }

  /// Hides typed characters except the line feed, and discards input typed before the prompt.
  func hide() {
    var state = before
    state.c_lflag &= ~tcflag_t(ECHO)
    state.c_lflag |= tcflag_t(ICANON | ECHONL)
    tcsetattr(descriptor.number, TCSAFLUSH, &state)
  }

  func restore() {
    var state = before
    tcsetattr(descriptor.number, TCSADRAIN, &state)
  }
}

/// The size of a terminal; 0 if it is unknown or the descriptor is not a terminal.
struct WindowSize {
  let columns: Int
  let rows: Int

  init(of descriptor: Int32) {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    (columns, rows) = isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (0, 0)
  }
}

extension Terminal {
  /// Number of rows below an address: the possible input and the progress line.
  private static let rowsBelow = 3

  func show(_ notices: [Notice]) {
    for notice in notices {
      switch notice {
      case .text(let text): show([text])
      case .row(let row): showRows([row])
      case .address(let address): show(address: address, orElse: "the address has the same content")
      }
    }
  }

  /// Shows an address, and its QR code too if the terminal can draw it and the whole page stays on the
  /// screen.
  func show(address: String, orElse other: SafeText) {
    show(["  \(address)"])
    guard isUnicode, movesCursor, let code = QRCode(address) else { return }
    let size = size
    // On a terminal of unknown size, lines of the code could wrap.
    guard size.columns > 0, size.rows > 0 else { return }
    let taken = rowsOfPage + Self.rowsBelow
    if let drawn = QRText(code, columns: size.columns, rows: size.rows - taken) { return show(drawn.lines) }
    let room = QRText.room(for: code)
    let wanted: SafeText =
      "\(max(room.columns, size.columns)) columns and \(max(room.rows + taken, size.rows)) rows"
    show(["  (its QR code needs a terminal of \(wanted); \(other))"])
  }
}
