internal import ControlClient
internal import Glibc

/// What is advised about the service of the machine to a user who is not root, in the words that fit who reads it.
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
