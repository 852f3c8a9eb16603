internal import ControlAPI
internal import ControlClient
internal import Glibc

/// Adapts advice for root, for users of their own daemon, and for machines without systemd.
///
/// The original text is for users of the machine's daemon that are not root.
enum Advice {
  /// True if systemd manages the services of this machine, see sd_booted(3).
  private static var hasSystemd: Bool { access("/run/systemd/system", F_OK) == 0 }

  /// Commands that replace those of systemd, for instance in a container.
  private static let withoutSystemd = [
    ("\"sudo systemctl start mfad.socket\" or \"systemctl --user start mfad.socket\"", "\"mfad\""),
    ("\"sudo systemctl restart mfad\"", "\"pkill -x mfad; mfad\""),
    ("\"sudo systemctl reload mfad\"", "\"pkill -HUP -x mfad\""),
    ("; \"sudo systemctl enable --now mfad-backup.timer\" makes one each day", ""),
    ("\"sudo timedatectl set-ntp true\"", "an NTP client"), ("\"timedatectl\"", "\"date\""),
    ("\"journalctl -k\"", "\"dmesg\""),
    ("\"journalctl -u mfad-courier -u mfad\"", "the output of mfad"),
    ("\"journalctl -u mfad-key\"", "the output of mfad"),
    ("\"journalctl -u mfad -n 20\"", "the output of mfad"), ("\"journalctl -u mfad\"", "the output of mfad"),
  ]

  /// Root needs no sudo(8).
  private static let forRoot = [("\"sudo ", "\"")]

  /// The user's own daemon needs no root, and the user's systemd manages it.
  ///
  /// Each replacement works on the result of the previous one.
  private static let ofOwnDaemon = [
    // The timer belongs to the machine's daemon.
    ("; \"sudo systemctl enable --now mfad-backup.timer\" makes one each day", ""),
    ("sudo authctl ", "authctl "), ("sudo systemctl ", "systemctl "),
    ("systemctl --user ", "systemctl "), ("systemctl ", "systemctl --user "),
    // The user's own daemon includes the functions of these services.
    ("-u mfad-courier -u mfad", "-u mfad"), ("-u mfad-key", "-u mfad"),
    ("journalctl -u ", "journalctl --user -u "),
  ]

  static func words(_ text: String, isOfOwnDaemon: Bool) -> String {
    let changes =
      (hasSystemd ? [] : withoutSystemd) + (isOfOwnDaemon ? ofOwnDaemon : geteuid() == 0 ? forRoot : [])
    return changes.reduce(text) { text, change in text.replacing(change.0, with: change.1) }
  }
}

/// The recommended next command for the present state.
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
