internal import ControlClient

extension Session {
  private static let life = Duration.seconds(30)

  /// Puts a passcode into the clipboard, and takes it out again after a while, or when the command is ended before.
  func copy(_ passcode: String) throws(Failure) {
    waiter.catchSignals()
    let clipboard = try Clipboard.filled(with: passcode, self)
    defer { clipboard.clear(waiter) }
    if output.showsProgress { output.note("copied; it is taken out of the clipboard in 30 s, or by Ctrl-C") }
    try waiter.pause(until: .after(Self.life))
  }
}
