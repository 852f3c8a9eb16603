internal import Glibc

/// Environment variables, and the paths derived from them.
public enum ProcessEnvironment {
  /// Returns an environment variable; `nil` if it is unset or empty.
  public static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns a directory of the XDG base directory specification, or its default below the home directory.
  public static func directory(_ name: String, home suffix: String) -> String? {
    if let directory = value(name), directory.hasPrefix("/") { return directory }
    return value("HOME").map { $0 + suffix }
  }

  /// The configuration directory: for root that of the system service, otherwise that of the user's service.
  public static var configurationDirectory: String? {
    let directory = geteuid() == 0 ? "/etc" : directory("XDG_CONFIG_HOME", home: "/.config")
    return directory.map { $0 + "/mfad" }
  }

  /// The default configuration file.
  public static var configurationFile: String? { configurationDirectory.map { $0 + "/mfad.conf" } }
}
