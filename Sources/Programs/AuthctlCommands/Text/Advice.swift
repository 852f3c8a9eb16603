internal import ControlAPI
internal import ControlClient
internal import Glibc

/// What is advised about the service of the machine to a user who is not root, in the words that fit who
/// reads it.
enum Advice {
  /// Root does by itself what others do by sudo(8).
  private static let forRoot = [("\"sudo ", "\"")]

  /// A daemon of one's own is no matter of root's, and the user's service manager keeps it.
  ///
  /// Each is carried out on what the one before it left.
  private static let ofOwnDaemon = [
    ("sudo authctl ", "authctl "), ("sudo systemctl ", "systemctl "),
    ("systemctl --user ", "systemctl "), ("systemctl ", "systemctl --user "),
    // What these are to the machine's service is done within a daemon of one's own.
    ("-u mfad-courier -u mfad", "-u mfad"), ("-u mfad-key", "-u mfad"),
    ("journalctl -u ", "journalctl --user -u "),
  ]

  static func words(_ text: String, isOfOwnDaemon: Bool) -> String {
    let changes = isOfOwnDaemon ? ofOwnDaemon : geteuid() == 0 ? forRoot : []
    return changes.reduce(text) { text, change in text.replacing(change.0, with: change.1) }
  }
}

/// The one command that makes sense next, by how everything is.
enum NextStep {
  static func line(_ status: ServiceStatusReport) -> SafeText { "next: \(words(status))" }

  private static func words(_ status: ServiceStatusReport) -> SafeText {
    let owner = status.owner
    let hasPlatform = !status.platform.url.isEmpty
    if status.misconfigured != nil {
      return "\"mfad --check-config\", then fix it and \"sudo systemctl reload mfad\""
    }
    if status.protection.sealing == "unavailable" { return "authctl doctor (the key is unavailable)" }
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
