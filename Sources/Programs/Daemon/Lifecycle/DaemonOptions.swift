internal import Configuration
internal import Glibc
internal import WebAddress

/// What the command line asks for.
struct DaemonOptions: Sendable {
  var configurationFile: String?
  var socket: String?
  var stateDirectory: String?
  var platform: WebURL?
  var checksConfiguration = false
  var listsKeptOwners = false
  var keyAction: KeyProgram.Action?
  var restoredFile: String?
  var showsVersion = false
  var showsHelp = false

  /// Whether it is asked to serve, and not for something that ends by itself.
  var serves: Bool { !checksConfiguration && !listsKeptOwners && keyAction == nil && restoredFile == nil }

  /// A command line that is not understood.
  struct UsageError: Error {
    let message: String
  }

  static let help = """
    usage: mfad [--config FILE] [--socket PATH] [--state-directory DIR] [--platform URL]
                [--check-config | --list-kept-owners | --rekey | --seal | --recover]
                [--restore FILE] [--version] [--help]

    A PingOne MFA authenticator that serves local programs over JSON-RPC on a Unix socket.

      --config FILE          read this configuration (default /etc/mfad/mfad.conf for root,
                             else $XDG_CONFIG_HOME/mfad/mfad.conf, if it exists)
      --socket PATH          serve on this socket
      --state-directory DIR  keep the state here
      --platform URL         use this device service for all geographies
      --check-config         read the configuration, say whether it is good, and exit
      --list-kept-owners     while no daemon runs, print the users whose state is to outlive the
                             package, one uid a line, and exit
      --rekey                while no daemon runs, make a new key-encryption key, show a new
                             recovery key, and exit
      --seal                 the same, and keep the key sealed by systemd-creds from now on
      --recover              while no daemon runs, take the recovery key on standard input, keep
                             the key that it opens anew, and exit
      --restore FILE         while no daemon runs, put this backup in the place of the state, and exit;
                             with --recover the recovery key on standard input opens it
      --version              print the version and exit
      --help                 print this and exit

    Exit codes: 0 ended as asked, 1 could not serve, 2 wrong usage, 78 wrong configuration.

    """

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments.dropFirst()[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--config": configurationFile = try Self.value(of: argument, from: &rest)
      case "--socket": socket = try Self.value(of: argument, from: &rest)
      case "--state-directory": stateDirectory = try Self.value(of: argument, from: &rest)
      case "--platform":
        let text = try Self.value(of: argument, from: &rest)
        guard let url = WebURL(text) else { throw UsageError(message: "--platform needs an absolute URL") }
        platform = url
      case "--check-config": checksConfiguration = true
      case "--list-kept-owners": listsKeptOwners = true
      case "--rekey": keyAction = .rekey
      case "--seal": keyAction = .seal
      case "--recover": keyAction = .recover
      case "--restore": restoredFile = try Self.value(of: argument, from: &rest)
      case "--version": showsVersion = true
      case "--help", "-h": showsHelp = true
      default: throw UsageError(message: "unknown argument \(argument)")
      }
    }
  }

  private static func value(
    of option: String,
    from rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw UsageError(message: "\(option) needs a value")
    }
    return value
  }

  /// The file that is read: the one that was named, else the default one if it exists.
  var effectiveConfigurationFile: String? {
    if let configurationFile { return configurationFile }
    guard let path = Self.defaultDirectory.map({ $0 + "/mfad.conf" }), access(path, F_OK) == 0 else {
      return nil
    }
    return path
  }

  /// Where the key-encryption key lies when it is sealed: beside the configuration, under the credential's name.
  func sealedKey(_ configuration: Configuration) -> String? {
    let directory =
      if let file = effectiveConfigurationFile {
        file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
      } else {
        Self.defaultDirectory
      }
    return directory.map { "\($0)/\(configuration.keyEncryptionCredential)" }
  }

  private static var defaultDirectory: String? {
    let directory = geteuid() == 0 ? "/etc" : Environment.directory("XDG_CONFIG_HOME", home: "/.config")
    return directory.map { $0 + "/mfad" }
  }

  /// What of the configuration is right, where something is wrong with it.
  func salvagedConfiguration() -> Configuration {
    effectiveConfigurationFile.map { Configuration.salvaged(from: $0) } ?? Configuration()
  }

  /// Reads the configuration, with what the command line puts in its place.
  func configuration() throws(ConfigurationError) -> Configuration {
    var configuration = Configuration()
    if let file = effectiveConfigurationFile { configuration = try Configuration(file: file) }
    if let platform { configuration = try configuration.replacingPlatform(with: platform) }
    return configuration
  }
}
