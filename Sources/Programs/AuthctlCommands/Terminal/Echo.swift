internal import Glibc
internal import UnixSockets

/// Whether a terminal shows what is typed.
final class Echo {
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
