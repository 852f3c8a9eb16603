import Glibc

/// What the environment says.
enum Environment {
  /// A variable; an empty one counts as absent.
  static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A directory of the XDG base directory specification, or its default below the home directory.
  static func directory(_ name: String, home suffix: String) -> String? {
    if let directory = value(name), directory.hasPrefix("/") { return directory }
    return value("HOME").map { $0 + suffix }
  }

  /// The directory of the state: flag, configuration, systemd, then the place for the user.
  static func stateDirectory(flag: String?, configured: String?) -> String? {
    if let path = flag ?? configured { return path }
    // systemd names all that it made, the first of which is this one.
    if let path = value("STATE_DIRECTORY")?.split(separator: ":").first { return String(path) }
    if geteuid() == 0 { return "/var/lib/mfad" }
    return directory("XDG_STATE_HOME", home: "/.local/state").map { $0 + "/mfad" }
  }
}
