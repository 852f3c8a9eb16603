internal import ControlAPI
internal import ControlClient

/// The one command that makes sense next, by how everything is.
enum NextStep {
  static func line(_ status: ServiceStatusReport) -> SafeText { "next: \(words(status))" }

  private static func words(_ status: ServiceStatusReport) -> SafeText {
    let owner = status.owner
    let hasPlatform = !status.platform.url.isEmpty
    if status.misconfigured != nil {
      return "\"mfad --check-config\", then repair it and \"sudo systemctl reload mfad\""
    }
    if status.protection.sealing == "unavailable" { return "authctl doctor (the key cannot be had)" }
    if status.protection.pin == .disabled { return "authctl reset (the PIN is disabled)" }
    if owner.pending > 0 {
      return "authctl approve (\(Describe.count(owner.pending, "request waits", "requests wait")))"
    }
    if status.protection.pin == .locked { return "authctl unlock" }
    if hasPlatform, status.platform.isReachable == false {
      return "authctl doctor (the platform was not reached)"
    }
    if owner.paired > 0 { return "authctl otp" }
    if hasPlatform, owner.geography == nil {
      return "authctl configure GEO (\"authctl help configure\" lists them)"
    }
    return hasPlatform ? "authctl login" : "authctl setup"
  }
}
