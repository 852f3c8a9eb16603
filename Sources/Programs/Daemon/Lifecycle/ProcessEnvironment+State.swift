internal import Configuration
import Glibc

extension ProcessEnvironment {
  /// The directory of the state: flag, configuration, systemd, then the place for the user.
  static func stateDirectory(flag: String?, configured: String?) -> String? {
    if let path = flag ?? configured { return path }
    // systemd names all that it made, the first of which is this one.
    if let path = value("STATE_DIRECTORY")?.split(separator: ":").first { return String(path) }
    if geteuid() == 0 { return "/var/lib/mfad" }
    return directory("XDG_STATE_HOME", home: "/.local/state").map { $0 + "/mfad" }
  }
}
