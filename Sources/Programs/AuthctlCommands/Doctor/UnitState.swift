internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import Glibc
internal import SystemCalls

/// The state of a systemd unit, as systemctl(1) shows it.
struct UnitState {
  let name: String
  let manager: UnitManager
  private let properties: [String: String]

  private static let wanted = "Id,LoadState,ActiveState,SubState,UnitFileState,Result,NeedDaemonReload"
  private static let limit = Duration.seconds(10)
  private static let mostLines = 100

  var isInstalled: Bool { properties["LoadState"] == "loaded" }

  /// Returns the units of a manager; `nil` if no manager responds.
  static func all(of manager: UnitManager, _ waiter: Waiter) throws(Failure) -> [UnitState]? {
    let arguments = ["show", "--no-pager", "--property=\(wanted)"] + manager.units
    guard let run = try? manager.systemctl(arguments, waiter, within: limit) else { return nil }
    var units: [[String: String]] = [[:]]
    for _ in 0..<mostLines {
      guard case .line(let bytes) = try run.line() else { break }
      let parts = String(decoding: bytes, as: UTF8.self).split(separator: "=", maxSplits: 1).map(String.init)
      // An empty line separates two units.
      guard let name = parts.first else {
        units.append([:])
        continue
      }
      units[units.count - 1][name] = parts.dropFirst().first
    }
    guard try run.exit() == 0 else { return nil }
    return units.compactMap { properties in
      properties["Id"].map { UnitState(name: $0, manager: manager, properties: properties) }
    }
  }

  /// Returns the finding about the unit.
  func check(_ name: String) -> DoctorReport.Check {
    let unit = self.name
    let state = properties["ActiveState"] ?? "unknown"
    // With automatic restarts, a unit that keeps failing never enters the state "failed".
    if state == "failed" || properties["SubState"] == "auto-restart" {
      return .init(
        local: name,
        .fail,
        "\(unit) has failed",
        cause: properties["Result"] ?? "failed",
        remedy: "\"\(manager.journal) -u \(unit) -n 20\" shows the reason; then "
          + "\"\(manager.command) reset-failed \(unit)\" and \"\(manager.command) start \(unit)\""
      )
    }
    if properties["NeedDaemonReload"] == "yes" {
      let words = "\(unit) has changed on disk since systemd loaded it"
      let remedy = "\"\(manager.command) daemon-reload\""
      return .init(local: name, .warning, words, cause: "changed", remedy: remedy)
    }
    if unit == "mfad.service", properties["UnitFileState"] == "disabled" {
      return .init(
        local: name,
        .warning,
        "\(unit) is not started at boot: mfad fetches no pushes until a client connects",
        cause: "disabled",
        remedy: "\"\(manager.command) enable --now \(unit)\""
      )
    }
    if unit.hasSuffix(".socket"), state == "inactive" {
      let remedy = "\"\(manager.command) enable --now \(unit)\""
      return .init(local: name, .warning, "\(unit) does not listen", cause: "inactive", remedy: remedy)
    }
    return .init(local: name, .pass, "\(unit) is \(state)")
  }
}

/// A systemd manager: of the system or of the user.
enum UnitManager {
  case system, user

  /// The manager of the daemon that this user may configure.
  static var own: UnitManager { geteuid() == 0 ? .system : .user }

  private static let restart = ["restart", "mfad.socket", "mfad.service"]
  private static let longestRestart = Duration.seconds(90)
  private static let longestLine = 4096
  private static let mostLines = 20
  private static let longestWords = 200

  private var flags: [String] { self == .user ? ["--user"] : [] }

  var units: [String] { ["mfad.socket", "mfad.service"] + (self == .system ? ["mfad-courier.socket"] : []) }

  /// The command for a user, with `sudo` if the manager requires root.
  var command: String { self == .user ? "systemctl --user" : "sudo systemctl" }

  var journal: String { self == .user ? "journalctl --user" : "journalctl" }

  /// The command line that restarts the daemon.
  var restartLine: String { (["systemctl"] + flags + Self.restart).joined(separator: " ") }

  /// Runs systemctl(1) in English, with the environment variables by which it finds its manager.
  func systemctl(
    _ arguments: [String],
    _ waiter: Waiter,
    within limit: Duration
  ) throws(SystemError) -> ToolRun {
    let places = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"].compactMap { name in
      ProcessEnvironment.value(name).map { "\(name)=\($0)" }
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

  /// Restarts the daemon.
  ///
  /// Returns `nil` on success, else the first line of systemctl's output.
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
    return first ?? "systemctl failed without a message"
  }
}

extension Session {
  private static let check = "unit"

  /// Checks the units of the systemd manager that the socket belongs to.
  func examineUnits() throws(Failure) -> [DoctorFinding] {
    let managers = self.managers
    guard !managers.isEmpty else {
      return [DoctorFinding(.init(local: Self.check, .skipped, "the socket belongs to no systemd unit"))]
    }
    for manager in managers {
      guard let units = try UnitState.all(of: manager, waiter) else { continue }
      let installed = units.filter(\.isInstalled)
      if !installed.isEmpty { return installed.map { DoctorFinding($0.check(Self.check)) } }
    }
    return [DoctorFinding(.init(local: Self.check, .skipped, "systemd has no unit of mfad"))]
  }

  /// The managers with units that may own the socket; none for a socket that `--socket` or MFAD_SOCKET names.
  private var managers: [UnitManager] {
    guard let system = sockets.systemPath else { return [] }
    if let socketPath { return [socketPath == system ? .system : .user] }
    return geteuid() == 0 ? [.system] : [.system, .user]
  }
}
