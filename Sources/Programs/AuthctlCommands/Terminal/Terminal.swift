internal import Configuration
internal import ControlClient
internal import Glibc
internal import QRCode
internal import SystemCalls
internal import UnixSockets

/// The terminal that a person sits at, whatever standard output and standard error are.
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

  /// The terminal, unless standard input is redirected: then another program gives the answers, or nobody.
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

  /// How many rows what belongs together has so far.
  private(set) var rowsOfPage = 0

  /// What is shown from here on belongs together.
  func beginPage() { rowsOfPage = 0 }

  func show(_ lines: [SafeText]) {
    let width = max(1, columns)
    for line in lines {
      write("\(line)\n")
      rowsOfPage += max(1, (line.columns + width - 1) / width)
    }
  }

  /// Shows the rows of a list, as wide as the terminal is.
  func showRows(_ rows: [SafeText]) {
    let width = columns
    show(rows.flatMap { Columns.fitted($0, width: width) })
  }

  /// Shows paragraphs as wide as the terminal is; a line that is indented stays as it is.
  func explain(_ paragraphs: [SafeText]) {
    let width = columns
    show(width > 0 ? paragraphs.flatMap { Wrapping.lines($0, width: width) } : paragraphs)
  }

  /// Asks for a line; `nil` at the end of input.
  func ask(_ prompt: SafeText) throws(Failure) -> String? {
    begin(prompt)
    defer { waiter.onSuspend = nil }
    return try line()
  }

  /// Asks for a line; whenever something can be read from another descriptor meanwhile it is looked at, which
  /// may end it.
  func ask(
    _ prompt: SafeText,
    beside other: Int32,
    _ look: () throws(Failure) -> Void
  ) throws(Failure) -> String? {
    begin(prompt)
    defer { waiter.onSuspend = nil }
    do {
      try look()
      return try line(beside: other, look)
    } catch {
      write("\n")
      throw error
    }
  }

  /// Shows a prompt, and again whenever the program goes on after it was suspended.
  private func begin(_ prompt: SafeText) {
    waiter.catchSignals()
    write("\(prompt): ")
    waiter.onSuspend = { [self] in { self.write("\(prompt): ") } }
  }

  /// Asks for a line that is not shown; the terminal shows again what is typed on every way out.
  func askHidden(_ prompt: SafeText) throws(Failure) -> String? {
    waiter.catchSignals()
    guard let echo = Echo(descriptor) else { return try ask(prompt) }
    echo.hide()
    // Only now: whoever sees the prompt may type.
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
      // The line feed that ends the prompt was not typed.
      write("\n")
      throw error
    }
  }

  /// Asks a question that only `y` or `yes` answers with yes.
  func confirm(_ question: SafeText) throws(Failure) -> Bool {
    let answer = try ask("\(question) [y/N]")?.lowercased()
    return answer == "y" || answer == "yes"
  }

  /// Whether a line was typed, or input ended.
  func hasLine() throws(Failure) -> Bool {
    try waiter.wait(for: descriptor.number, POLLIN, until: .after(.zero))
  }

  /// The line that was typed; `nil` at the end of input.
  func line(
    beside other: Int32 = -1,
    _ look: () throws(Failure) -> Void = {}
  ) throws(Failure) -> String? {
    while true {
      switch try lines.next(waiter, until: .never, beside: other) {
      case .line(let bytes):
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw .local(.usage, "the typed line is not UTF-8")
        }
        return text
      case .tooLong: throw .local(.usage, "the typed line is longer than \(Self.maximumLine / 1024) KiB")
      case .beside: try look()
      case .timedOut, .end:
        write("\n")
        return nil
      }
    }
  }

  /// Writes without a line feed; a terminal that is gone cannot be told.
  func write(_ text: SafeText) { try? writeWhole(Array(text.text.utf8), to: descriptor.number) }
}

/// Whether a terminal shows what is typed.
private final class Echo {
  private let descriptor: Descriptor
  private let before: termios

  /// Remembers how the terminal is; `nil` if it is none.
  init?(_ descriptor: Descriptor) {
    var state = termios()
    guard tcgetattr(descriptor.number, &state) == 0 else { return nil }
    self.descriptor = descriptor
    before = state
  }

  /// Hides what is typed from now on, except the line feed; what was typed before the prompt is dropped.
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

/// How large a terminal is; 0 is what is not known, as of everything that is none.
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
  /// What comes below an address: what can be typed, and that it is waited for.
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

  /// Shows an address, for a camera too if the terminal can and all that belongs to it stays on the screen.
  func show(address: String, orElse other: SafeText) {
    show(["  \(address)"])
    guard isUnicode, movesCursor, let code = QRCode(address) else { return }
    let size = size
    // What no size is known of is shown nothing that could be broken.
    guard size.columns > 0, size.rows > 0 else { return }
    let taken = rowsOfPage + Self.rowsBelow
    if let drawn = QRText(code, columns: size.columns, rows: size.rows - taken) { return show(drawn.lines) }
    let room = QRText.room(for: code)
    let wanted: SafeText =
      "\(max(room.columns, size.columns)) columns and \(max(room.rows + taken, size.rows)) rows"
    show(["  (its QR code needs a terminal of \(wanted); \(other))"])
  }
}
