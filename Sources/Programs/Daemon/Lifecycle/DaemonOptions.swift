internal import Configuration
import Glibc
internal import SystemCalls
public import Usage
internal import WebAddress

/// The parsed command line.
public struct DaemonOptions: ProgramOptions {
  let configurationFile: String?
  let socket: String?
  let stateDirectory: String?
  let platform: WebURL?
  let checksConfiguration: Bool
  let listsKeptOwners: Bool
  let keyAction: KeyProgram.Action?
  let restoredFile: String?

  public init(_ arguments: Arguments) throws(UsageError) {
    (configurationFile, socket) = (arguments["--config"], arguments["--socket"])
    (stateDirectory, restoredFile) = (arguments["--state-directory"], arguments["--restore"])
    checksConfiguration = arguments.has("--check-config")
    listsKeptOwners = arguments.has("--list-kept-owners")
    keyAction = arguments.all(of: "--rekey", "--seal", "--recover").last.flatMap {
      Self.keyActions[$0.option]
    }
    // A URL may contain a password.
    platform = try arguments.value("--platform", "an absolute URL", mayBeShown: false) { WebURL($0) }
  }

  private static let keyActions: [String: KeyProgram.Action] = [
    "--rekey": .rekey, "--seal": .seal, "--recover": .recover,
  ]

  /// True if the program serves clients, false if it performs one action and exits.
  var serves: Bool { !checksConfiguration && !listsKeptOwners && keyAction == nil && restoredFile == nil }

  /// The usage text and the options.
  public static let usage = ProgramUsage(
    "mfad",
    forms: [
      "[--config FILE] [--socket PATH] [--state-directory DIR] [--platform URL]",
      "[--config FILE] --check-config | --list-kept-owners | --rekey | --seal",
      "[--config FILE] --recover | --restore FILE", "--version | --help",
    ],
    summary: "PingOne MFA authenticator",
    purpose: "A PingOne MFA authenticator that serves local programs over JSON-RPC on a Unix socket.",
    options: [
      Option(
        "--config",
        takes: "FILE",
        """
        read this configuration (default /etc/mfad/mfad.conf for root,
        else $XDG_CONFIG_HOME/mfad/mfad.conf, if it exists)
        """
      ),
      Option("--socket", takes: "PATH", "serve on this socket"),
      Option("--state-directory", takes: "DIR", "keep the state here"),
      Option("--platform", takes: "URL", "use this device service for all geographies"),
      Option("--check-config", "check the configuration, print the result, and exit"),
      Option(
        "--list-kept-owners",
        """
        print the user IDs that keep their state after removal of the
        package, one per line, and exit; no daemon may be running
        """
      ),
      Option(
        "--rekey",
        """
        create a new key-encryption key, print a new recovery key, and
        exit; no daemon may be running
        """
      ),
      Option("--seal", "like --rekey, and store the key sealed by systemd-creds"),
      Option(
        "--recover",
        """
        read the recovery key from standard input, store the recovered
        key-encryption key again, and exit; no daemon may be running
        """
      ),
      Option(
        "--restore",
        takes: "FILE",
        """
        replace the state with this backup and exit; with --recover, use
        the recovery key on standard input; no daemon may be running
        """
      ),
      .version,
      .help,
    ],
    exitCodes: [
      (EXIT_SUCCESS, "success"), (EXIT_FAILURE, "could not serve"), (2, "wrong usage"),
      (EX_CONFIG, "wrong configuration"),
    ]
  )

  /// The configuration file: the one that was named, else the default one if it exists.
  var effectiveConfigurationFile: String? {
    if let configurationFile { return configurationFile }
    return ProcessEnvironment.configurationFile.flatMap { access($0, F_OK) == 0 ? $0 : nil }
  }

  /// The path of the sealed key-encryption key: next to the configuration, with the credential's name.
  func sealedKey(_ configuration: Configuration) -> String? {
    let place =
      effectiveConfigurationFile.map(containingDirectory(of:)) ?? ProcessEnvironment.configurationDirectory
    return place.map { "\($0)/\(configuration.keyEncryptionCredential)" }
  }

  /// Returns the valid parts of an invalid configuration.
  func salvagedConfiguration() -> Configuration {
    effectiveConfigurationFile.map { Configuration.salvaged(from: $0) } ?? Configuration()
  }

  /// Reads the configuration and applies the overrides of the command line.
  func configuration() throws(ConfigurationError) -> Configuration {
    var configuration = Configuration()
    if let file = effectiveConfigurationFile { configuration = try Configuration(file: file) }
    if let platform { configuration = try configuration.replacingPlatform(with: platform) }
    return configuration
  }
}
