internal import Configuration
import Glibc
internal import SystemCalls
package import Usage
internal import WebAddress

/// What the command line asks for.
package struct DaemonOptions: ProgramOptions {
  var configurationFile: String?
  var socket: String?
  var stateDirectory: String?
  var platform: WebURL?
  var checksConfiguration = false
  var listsKeptOwners = false
  var keyAction: KeyProgram.Action?
  var restoredFile: String?
  package var wantsVersion = false
  package var wantsHelp = false

  /// Whether it is asked to serve, and not for something that ends by itself.
  var serves: Bool { !checksConfiguration && !listsKeptOwners && keyAction == nil && restoredFile == nil }

  /// How the program is used.
  package static let usage = ProgramUsage<DaemonOptions>(
    "mfad",
    forms: [
      "[--config FILE] [--socket PATH] [--state-directory DIR] [--platform URL]",
      "[--config FILE] --check-config | --list-kept-owners | --rekey | --seal",
      "[--config FILE] --recover | --restore FILE", "--version | --help",
    ],
    summary: "PingOne MFA authenticator",
    purpose: "A PingOne MFA authenticator that serves local programs over JSON-RPC on a Unix socket.",
    options: [
      .text(
        "--config",
        "FILE",
        \.configurationFile,
        """
        read this configuration (default /etc/mfad/mfad.conf for root,
        else $XDG_CONFIG_HOME/mfad/mfad.conf, if it exists)
        """
      ),
      .text("--socket", "PATH", \.socket, "serve on this socket"),
      .text("--state-directory", "DIR", \.stateDirectory, "keep the state here"),
      ProgramOption("--platform", takes: "URL", "use this device service for all geographies") {
        (options, text) throws(UsageError) in
        guard let url = WebURL(text) else { throw UsageError("--platform needs an absolute URL") }
        options.platform = url
      },
      .flag(
        "--check-config",
        \.checksConfiguration,
        "read the configuration, say whether it is good, and exit"
      ),
      .flag(
        "--list-kept-owners",
        \.listsKeptOwners,
        """
        while no daemon runs, print the users whose state is to outlive the
        package, one uid a line, and exit
        """
      ),
      .key(
        "--rekey",
        .rekey,
        """
        while no daemon runs, make a new key-encryption key, show a new
        recovery key, and exit
        """
      ),
      .key("--seal", .seal, "the same, and keep the key sealed by systemd-creds from now on"),
      .key(
        "--recover",
        .recover,
        """
        while no daemon runs, take the recovery key on standard input, keep
        the key that it opens anew, and exit
        """
      ),
      .text(
        "--restore",
        "FILE",
        \.restoredFile,
        """
        while no daemon runs, put this backup in the place of the state, and
        exit; with --recover the recovery key on standard input opens it
        """
      ),
      .version(\.wantsVersion),
      .help(\.wantsHelp),
    ],
    exitCodes: [
      (EXIT_SUCCESS, "ended as asked"), (EXIT_FAILURE, "could not serve"), (2, "wrong usage"),
      (EX_CONFIG, "wrong configuration"),
    ]
  )

  package init() {}

  /// The file that is read: the one that was named, else the default one if it exists.
  var effectiveConfigurationFile: String? {
    if let configurationFile { return configurationFile }
    return Environment.configurationFile.flatMap { access($0, F_OK) == 0 ? $0 : nil }
  }

  /// Where the key-encryption key lies when it is sealed: beside the configuration, under the credential's name.
  func sealedKey(_ configuration: Configuration) -> String? {
    let place = effectiveConfigurationFile.map(containingDirectory(of:)) ?? Environment.configurationDirectory
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

extension ProgramOption<DaemonOptions> {
  fileprivate static func key(_ name: String, _ action: KeyProgram.Action, _ help: String) -> Self {
    ProgramOption(name, help) { (options, _) throws(UsageError) in options.keyAction = action }
  }
}
