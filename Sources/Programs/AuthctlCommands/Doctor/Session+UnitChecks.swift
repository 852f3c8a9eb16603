internal import ControlAPI
internal import ControlClient
internal import Glibc

extension Session {
  private static let check = "unit"

  /// Whether the units of the service manager that the socket belongs to are as they have to be.
  func examineUnits() throws(Failure) -> [DoctorFinding] {
    let managers = self.managers
    guard !managers.isEmpty else {
      return [DoctorFinding(.init(local: Self.check, .skipped, "the socket is none of a unit's"))]
    }
    for manager in managers {
      guard let units = try UnitState.all(of: manager, waiter) else { continue }
      let installed = units.filter(\.isInstalled)
      if !installed.isEmpty { return installed.map { DoctorFinding($0.check(Self.check)) } }
    }
    return [DoctorFinding(.init(local: Self.check, .skipped, "systemd has no unit of mfad here"))]
  }

  /// The managers whose units may serve the socket; of one that was named by hand there is none.
  private var managers: [UnitManager] {
    guard let system = sockets.systemPath else { return [] }
    if let socketPath { return [socketPath == system ? .system : .user] }
    return geteuid() == 0 ? [.system] : [.system, .user]
  }
}
