internal import Configuration
internal import ControlClient
internal import Glibc
internal import SystemCalls

/// A service manager of systemd's.
enum UnitManager {
  case system, user

  /// The one that starts the daemon whose configuration is this user's to write.
  static var own: UnitManager { geteuid() == 0 ? .system : .user }

  private static let restart = ["restart", "mfad.socket", "mfad.service"]
  private static let longestRestart = Duration.seconds(90)
  private static let longestLine = 4096
  private static let mostLines = 20
  private static let longestWords = 200

  private var flags: [String] { self == .user ? ["--user"] : [] }

  var units: [String] { ["mfad.socket", "mfad.service"] + (self == .system ? ["mfad-courier.socket"] : []) }

  /// How a person calls it, who may not be root.
  var command: String { self == .user ? "systemctl --user" : "sudo systemctl" }

  var journal: String { self == .user ? "journalctl --user" : "journalctl" }

  /// By which whoever may do so starts the daemon again.
  var restartLine: String { (["systemctl"] + flags + Self.restart).joined(separator: " ") }

  /// Runs systemctl(1) in English; it finds its manager by the environment.
  func systemctl(
    _ arguments: [String],
    _ waiter: Waiter,
    within limit: Duration
  ) throws(SystemError) -> ToolRun {
    let places = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"].compactMap { name in
      Environment.value(name).map { "\(name)=\($0)" }
    }
    return try ToolRun(
      "systemctl",
      flags + arguments,
      environment: ["LANG=C"] + places,
      input: [],
      maximumLine: Self.longestLine,
      takesErrors: true,
      waiter,
      until: .after(limit)
    )
  }

  /// Starts the daemon again; returns the first line of what systemctl says where that fails.
  func startDaemonAgain(_ waiter: Waiter) throws(Failure) -> SafeText? {
    let run: ToolRun
    do { run = try systemctl(Self.restart, waiter, within: Self.longestRestart) } catch {
      return "systemctl cannot be run: \(String(cString: strerror(error.code)))"
    }
    var first: SafeText?
    for _ in 0..<Self.mostLines {
      guard case .line(let line) = try run.line() else { break }
      if first == nil, !line.isEmpty {
        first = "\(String(decoding: line, as: UTF8.self).prefix(Self.longestWords))"
      }
    }
    guard try run.exit() != 0 else { return nil }
    return first ?? "systemctl does not say why"
  }
}
