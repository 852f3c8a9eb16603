internal import Configuration
internal import ControlClient
internal import Glibc
internal import OATHExports

/// The clipboard of the desktop, or of the terminal, which may be on another machine.
private enum Clipboard {
  /// A program that copies its standard input to the clipboard.
  case tool(String, filling: [String], clearing: [String])
  /// The terminal, with the control sequence OSC 52.
  case terminal(Terminal)

  /// The programs that fill a desktop's clipboard, with the variable that indicates the desktop.
  private static var tools: [(variable: String, Clipboard)] {
    let selection = ["-selection", "clipboard"]
    return [
      ("WAYLAND_DISPLAY", .tool("wl-copy", filling: [], clearing: ["--clear"])),
      ("DISPLAY", .tool("xclip", filling: selection, clearing: selection)),
    ]
  }
  private static let limit = Duration.seconds(5)
  /// The environment variables by which a clipboard program finds its desktop.
  private static let variables = ["WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY", "XAUTHORITY", "HOME"]

  /// Returns the clipboards to try, best first; throws if there is none.
  static func all(_ session: Session) throws(Failure) -> [Clipboard] {
    let desktops = tools.filter { ProcessEnvironment.value($0.variable) != nil }
    var found = desktops.map(\.1).filter(\.isInstalled)
    // On a local desktop the terminal is not used, because it may ignore the sequence without an error.
    let isFar = ["SSH_CONNECTION", "SSH_TTY"].contains { ProcessEnvironment.value($0) != nil }
    if let terminal = session.terminal, terminal.movesCursor, isFar || desktops.isEmpty {
      found.append(.terminal(terminal))
    }
    guard !found.isEmpty else { throw missing }
    return found
  }

  /// Fills the first clipboard that accepts the text, and returns it.
  static func filled(with text: String, _ session: Session) throws(Failure) -> Clipboard {
    for clipboard in try all(session) where try clipboard.fill(text, session.waiter) { return clipboard }
    throw missing
  }

  private static var missing: Failure {
    .local(
      .toolMissing,
      "no clipboard is available",
      hint: "\"sudo apt install wl-clipboard\" (Wayland) or xclip (X11); without a desktop use a terminal"
    )
  }

  private var isInstalled: Bool {
    guard case .tool(let name, _, _) = self else { return true }
    let directories = ProcessEnvironment.value("PATH")?.split(separator: ":") ?? []
    return directories.contains { access("\($0)/\(name)", X_OK) == 0 }
  }

  func clear(_ waiter: Waiter) {
    switch self {
    case .tool(let name, _, let clearing): _ = try? Self.run(name, clearing, [], waiter)
    case .terminal(let terminal): terminal.write("\u{1B}]52;c;!\u{07}")
    }
  }

  private func fill(_ text: String, _ waiter: Waiter) throws(Failure) -> Bool {
    switch self {
    case .tool(let name, let filling, _): return try Self.run(name, filling, Array(text.utf8), waiter)
    case .terminal(let terminal):
      terminal.write("\u{1B}]52;c;\(Base64.encode(text.utf8))\u{07}")
      return true
    }
  }

  /// Returns true if the program ran successfully.
  ///
  /// The program may leave a process running, which provides the text for pastes.
  private static func run(
    _ name: String,
    _ arguments: [String],
    _ input: [UInt8],
    _ waiter: Waiter
  ) throws(Failure) -> Bool {
    let environment = variables.compactMap { name in
      ProcessEnvironment.value(name).map { "\(name)=\($0)" }
    }
    let run: ToolRun
    do {
      run = try ToolRun(
        name,
        arguments,
        environment: environment,
        input: input,
        maximumLine: 1024,
        waiter,
        until: .after(limit)
      )
    } catch { return false }
    return try run.exit() == 0
  }
}

extension Session {
  private static let life = Duration.seconds(30)

  /// Throws if there is no clipboard.
  func checkClipboard() throws(Failure) { _ = try Clipboard.all(self) }

  /// Copies a passcode to the clipboard, and clears it after 30 s or when the command ends earlier.
  func copy(_ passcode: String) throws(Failure) {
    waiter.catchSignals()
    let clipboard = try Clipboard.filled(with: passcode, self)
    defer { clipboard.clear(waiter) }
    if output.showsProgress { output.note("copied; the clipboard is cleared after 30 s or by Ctrl-C") }
    try waiter.pause(until: .after(Self.life))
  }
}
