internal import Configuration
import Glibc

extension ProcessEnvironment {
  /// Returns the state directory from the flag, the configuration or systemd, else the default for the user.
  static func stateDirectory(flag: String?, configured: String?) -> String? {
    if let path = flag ?? configured { return path }
    // systemd lists all directories that it created. The first one is for the state.
    if let path = value("STATE_DIRECTORY")?.split(separator: ":").first { return String(path) }
    if geteuid() == 0 { return "/var/lib/mfad" }
    return directory("XDG_STATE_HOME", home: "/.local/state").map { $0 + "/mfad" }
  }
}
