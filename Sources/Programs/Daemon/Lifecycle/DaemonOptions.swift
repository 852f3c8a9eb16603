internal import Configuration
import Glibc
internal import SystemCalls
public import Usage
internal import WebAddress

/// What the command line asks for.
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
    // An address may have a password.
    platform = try arguments.value("--platform", "an absolute URL", mayBeShown: false) { WebURL($0) }
  }

  private static let keyActions: [String: KeyProgram.Action] = [
    "--rekey": .rekey, "--seal": .seal, "--recover": .recover,
  ]

  /// Whether it is asked to serve, and not for something that ends by itself.
  var serves: Bool { !checksConfiguration && !listsKeptOwners && keyAction == nil && restoredFile == nil }

  /// How the program is used.
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
      Option("--check-config", "read the configuration, say whether it is good, and exit"),
      Option(
        "--list-kept-owners",
        """
        while no daemon runs, print the users whose state is to outlive the
        package, one uid a line, and exit
        """
      ),
      Option(
        "--rekey",
        """
        while no daemon runs, make a new key-encryption key, show a new
        recovery key, and exit
        """
      ),
      Option("--seal", "the same, and keep the key sealed by systemd-creds from now on"),
      Option(
        "--recover",
        """
        while no daemon runs, take the recovery key on standard input, keep
        the key that it opens anew, and exit
        """
      ),
      Option(
        "--restore",
        takes: "FILE",
        """
        while no daemon runs, put this backup in the place of the state, and
        exit; with --recover the recovery key on standard input opens it
        """
      ),
      .version,
      .help,
    ],
    exitCodes: [
      (EXIT_SUCCESS, "ended as asked"), (EXIT_FAILURE, "could not serve"), (2, "wrong usage"),
      (EX_CONFIG, "wrong configuration"),
    ]
  )

  /// The file that is read: the one that was named, else the default one if it exists.
  var effectiveConfigurationFile: String? {
    if let configurationFile { return configurationFile }
    return ProcessEnvironment.configurationFile.flatMap { access($0, F_OK) == 0 ? $0 : nil }
  }

  /// Where the key-encryption key lies when it is sealed: beside the configuration, under the credential's name.
  func sealedKey(_ configuration: Configuration) -> String? {
    let place =
      effectiveConfigurationFile.map(containingDirectory(of:)) ?? ProcessEnvironment.configurationDirectory
    return place.map { "\($0)/\(configuration.keyEncryptionCredential)" }
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
