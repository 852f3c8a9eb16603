internal import Configuration
internal import ControlClient
internal import OATHExports

/// Where a passcode is pasted from: the desktop's clipboard, or that of the terminal, which may be far away.
private enum Clipboard {
  /// A program that fills the clipboard from its standard input.
  case tool(String, filling: [String], clearing: [String])
  /// The terminal itself, by the control sequence OSC 52.
  case terminal(Terminal)

  /// What fills the clipboard of a desktop, by the variable that tells of one.
  private static var tools: [(variable: String, Clipboard)] {
    let selection = ["-selection", "clipboard"]
    return [
      ("WAYLAND_DISPLAY", .tool("wl-copy", filling: [], clearing: ["--clear"])),
      ("DISPLAY", .tool("xclip", filling: selection, clearing: selection)),
    ]
  }
  private static let limit = Duration.seconds(5)
  /// What such a program finds its desktop by.
  private static let variables = ["WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY", "XAUTHORITY", "HOME"]

  /// Fills the first clipboard that takes it, and returns that one.
  static func filled(with text: String, _ session: Session) throws(Failure) -> Clipboard {
    for (variable, clipboard) in tools where ProcessEnvironment.value(variable) != nil {
      if try clipboard.fill(text, session.waiter) { return clipboard }
    }
    // A terminal of the desktop may take it for nothing; one far away is the only clipboard there is.
    let isFar = ["SSH_CONNECTION", "SSH_TTY"].contains { ProcessEnvironment.value($0) != nil }
    let isOnDesktop = tools.contains { ProcessEnvironment.value($0.variable) != nil }
    if let terminal = session.terminal, terminal.movesCursor, isFar || !isOnDesktop {
      let clipboard = Clipboard.terminal(terminal)
      if try clipboard.fill(text, session.waiter) { return clipboard }
    }
    throw .local(
      .toolMissing,
      "no clipboard is available",
      hint: "on a desktop install wl-clipboard or xclip; otherwise use a terminal with OSC 52"
    )
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

  /// Whether the program is there and did it; what it leaves running serves those who paste.
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

  /// Puts a passcode into the clipboard, and takes it out again after a while, or when the command is ended
  /// before.
  func copy(_ passcode: String) throws(Failure) {
    waiter.catchSignals()
    let clipboard = try Clipboard.filled(with: passcode, self)
    defer { clipboard.clear(waiter) }
    if output.showsProgress { output.note("copied; the clipboard is cleared after 30 s or by Ctrl-C") }
    try waiter.pause(until: .after(Self.life))
  }
}
