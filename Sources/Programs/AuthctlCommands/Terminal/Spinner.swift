internal import ControlClient

/// A progress line for a wait, removed afterwards.
///
/// The user may type after it: each update restores the cursor.
final class Spinner {
  private let terminal: Terminal
  private var turns = 0
  private var isShown = false
  private var width = 0

  init(_ terminal: Terminal) { self.terminal = terminal }

  func turn(elapsed: Duration) {
    // A terminal that cannot move its cursor shows the line once.
    guard terminal.movesCursor || !isShown else { return }
    let glyphs: [SafeText] = terminal.isUnicode ? Self.dots : Self.strokes
    let glyph = glyphs[turns % glyphs.count]
    turns += 1
    let seconds = elapsed.components.seconds % 60
    let time: SafeText = "\(elapsed.components.seconds / 60):\(seconds < 10 ? "0" : "")\(seconds)"
    if isShown {
      terminal.write("\u{1B}7\r\(glyph) \(time)\u{1B}8")
    } else {
      isShown = true
      let line: SafeText = "\(glyph) \(time) waiting, Ctrl-C ends it: "
      width = line.columns
      terminal.write(line)
    }
  }

  /// Removes the line together with the typed text, which ended with Enter.
  func clear(typed: String) {
    guard isShown, terminal.movesCursor else { return clear() }
    isShown = false
    let columns = max(1, terminal.columns)
    let rows = 1 + max(0, width + TextWidth.columns(of: typed) - 1) / columns
    terminal.write("\u{1B}[\(rows)A\r\u{1B}[J")
  }

  func clear() {
    guard isShown else { return }
    isShown = false
    terminal.write(terminal.movesCursor ? "\r\u{1B}[K" : "\n")
  }

  private static let dots: [SafeText] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
  private static let strokes: [SafeText] = ["|", "/", "-", "\\"]
}
