internal import ControlClient

/// What is advised about the machine's service, as it goes for a daemon of one's own: it is no matter of root's, and the
/// user's service manager keeps it.
enum OwnDaemonWords {
  /// Each is carried out on what the one before it left.
  private static let changes: [(String, String)] = [
    ("sudo authctl ", "authctl "), ("sudo systemctl ", "systemctl "),
    ("systemctl --user ", "systemctl "), ("systemctl ", "systemctl --user "),
    // What these are to the machine's service is done within a daemon of one's own.
    ("-u mfad-courier -u mfad", "-u mfad"), ("-u mfad-key", "-u mfad"),
    ("journalctl -u ", "journalctl --user -u "),
  ]

  static func of(_ text: String) -> String {
    changes.reduce(text) { text, change in text.replacing(change.0, with: change.1) }
  }

  static func of(_ text: SafeText) -> SafeText { "\(of(text.text))" }
}
