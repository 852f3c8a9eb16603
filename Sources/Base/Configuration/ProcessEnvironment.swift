internal import Glibc

/// What the environment says of where things lie.
public enum ProcessEnvironment {
  /// A variable; an empty one counts as absent.
  public static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A directory of the XDG base directory specification, or its default below the home directory.
  public static func directory(_ name: String, home suffix: String) -> String? {
    if let directory = value(name), directory.hasPrefix("/") { return directory }
    return value("HOME").map { $0 + suffix }
  }

  /// Where the configuration of the machine's service lies, or that of the user's own.
  public static var configurationDirectory: String? {
    let directory = geteuid() == 0 ? "/etc" : directory("XDG_CONFIG_HOME", home: "/.config")
    return directory.map { $0 + "/mfad" }
  }

  /// The file that is read unless another is named.
  public static var configurationFile: String? { configurationDirectory.map { $0 + "/mfad.conf" } }
}
