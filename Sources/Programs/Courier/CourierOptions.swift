internal import Configuration
public import Usage
public import WebAddress

/// The parsed command line.
public struct CourierOptions: ProgramOptions, Equatable {
  /// How the courier connects to `mfad`.
  public enum Mode: Sendable, Equatable {
    /// A socket from the service manager, else this path, else the configured path.
    case socket(path: String?)
    /// A connected socket with this descriptor number, inherited from `mfad`.
    case child(descriptor: Int32)
  }

  /// The connection to `mfad`.
  public let mode: Mode
  /// The configuration file; `nil` for an empty configuration.
  public let configurationFile: String?
  /// The platform that replaces the platforms in the configuration file.
  public let platform: WebURL?

  public init(_ arguments: Arguments) throws(UsageError) {
    configurationFile = arguments["--config"]
    // A URL may contain a password.
    platform = try arguments.value("--platform", "an absolute URL", mayBeShown: false) { WebURL($0) }
    let child = try arguments.value("--child", "a file descriptor number, 3 or higher") { text in
      Int32(text).flatMap { $0 > 2 ? $0 : nil }
    }
    if child != nil, arguments.has("--socket") { throw UsageError("--socket and --child exclude each other") }
    mode = child.map { .child(descriptor: $0) } ?? .socket(path: arguments["--socket"])
  }

  /// The usage text and the options.
  public static let usage = ProgramUsage(
    "mfad-courier",
    forms: ["[--config FILE] [--platform URL] [--socket PATH | --child FD]", "--help | --version"],
    summary: "sends the HTTPS requests of mfad",
    purpose: """
      Sends HTTPS requests for mfad to the origins that its configuration allows, and to no others.
      For a sign-on in a browser it listens on 127.0.0.1 for the final redirect.
      """,
    options: [
      Option("--config", takes: "FILE", "read mfad's configuration from FILE"),
      Option("--platform", takes: "URL", "use this platform instead of the configured ones"),
      Option(
        "--socket",
        takes: "PATH",
        "listen on PATH instead of courier_socket; a socket from systemd takes precedence"
      ),
      Option(
        "--child",
        takes: "FD",
        "serve the connected socket FD and exit when the parent process ends"
      ),
      .help,
      .version,
    ],
    notes: "Exits after 60 seconds without work, except with --child. SIGHUP rereads the configuration.",
    exitCodes: [(0, "done"), (1, "failed"), (2, "wrong usage"), (78, "the configuration cannot be used")]
  )
}

extension CourierOptions {
  /// Reads the configuration that the options name.
  func loadConfiguration() throws(ConfigurationError) -> Configuration {
    var configuration = Configuration()
    if let configurationFile { configuration = try Configuration(file: configurationFile) }
    if let platform { configuration = try configuration.replacingPlatform(with: platform) }
    return configuration
  }
}
