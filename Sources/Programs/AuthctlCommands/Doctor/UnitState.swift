internal import ControlAPI
internal import ControlClient

/// How a unit is, as systemctl(1) shows it.
struct UnitState {
  let name: String
  let manager: UnitManager
  private let properties: [String: String]

  private static let wanted = "Id,LoadState,ActiveState,SubState,UnitFileState,Result,NeedDaemonReload"
  private static let limit = Duration.seconds(10)
  private static let mostLines = 100

  var isInstalled: Bool { properties["LoadState"] == "loaded" }

  /// The units of a manager; nothing where there is none that answers.
  static func all(of manager: UnitManager, _ waiter: Waiter) throws(Failure) -> [UnitState]? {
    let arguments = ["show", "--no-pager", "--property=\(wanted)"] + manager.units
    guard let run = try? manager.systemctl(arguments, waiter, within: limit) else { return nil }
    var units: [[String: String]] = [[:]]
    for _ in 0..<mostLines {
      guard case .line(let bytes) = try run.line() else { break }
      let parts = String(decoding: bytes, as: UTF8.self).split(separator: "=", maxSplits: 1).map(String.init)
      // An empty line is between two units.
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

  /// What there is to say of it.
  func check(_ name: String) -> DoctorReport.Check {
    let unit = self.name
    let state = properties["ActiveState"] ?? "unknown"
    // One that ends again and again never comes to rest.
    if state == "failed" || properties["SubState"] == "auto-restart" {
      return .init(
        local: name,
        .fail,
        "\(unit) has failed",
        cause: properties["Result"] ?? "failed",
        remedy: "\"\(manager.journal) -u \(unit) -n 20\" says why; then "
          + "\"\(manager.command) reset-failed \(unit)\" and \"\(manager.command) start \(unit)\""
      )
    }
    if properties["NeedDaemonReload"] == "yes" {
      let words = "\(unit) has changed since systemd read it"
      let remedy = "\"\(manager.command) daemon-reload\""
      return .init(local: name, .warning, words, cause: "changed", remedy: remedy)
    }
    if unit == "mfad.service", properties["UnitFileState"] == "disabled" {
      return .init(
        local: name,
        .warning,
        "\(unit) is not started at boot, so no pushes are fetched until somebody calls",
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
