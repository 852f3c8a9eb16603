internal import Configuration
public import Usage
public import WebAddress

/// What the command line asks for.
public struct CourierOptions: ProgramOptions, Equatable {
  /// Where the courier meets `mfad`.
  public enum Mode: Sendable, Equatable {
    /// A socket handed over by the service manager, else this path, else the configured one.
    case socket(path: String?)
    /// A connected socket under this number, inherited from `mfad`.
    case child(descriptor: Int32)
  }

  /// Where the courier meets `mfad`.
  public let mode: Mode
  /// The configuration file; without one nothing is configured.
  public let configurationFile: String?
  /// A platform that takes the place of those in the file.
  public let platform: WebURL?

  public init(_ arguments: Arguments) throws(UsageError) {
    configurationFile = arguments["--config"]
    // An address may have a password.
    platform = try arguments.value("--platform", "an absolute URL", mayBeShown: false) { WebURL($0) }
    let child = try arguments.value("--child", "the number of a descriptor above 2") { text in
      Int32(text).flatMap { $0 > 2 ? $0 : nil }
    }
    if child != nil, arguments.has("--socket") { throw UsageError("--socket and --child exclude each other") }
    mode = child.map { .child(descriptor: $0) } ?? .socket(path: arguments["--socket"])
  }

  /// How the program is used.
  public static let usage = ProgramUsage(
    "mfad-courier",
    forms: ["[--config FILE] [--platform URL] [--socket PATH | --child FD]", "--help | --version"],
    summary: "carries the HTTPS requests of mfad",
    purpose: """
      Carries HTTPS requests for mfad to the origins that its configuration names, and to no others.
      For a sign-on in a browser it waits on 127.0.0.1 for the one redirect that ends it.
      """,
    options: [
      Option("--config", takes: "FILE", "read mfad's configuration from FILE"),
      Option("--platform", takes: "URL", "use this platform in place of the configured ones"),
      Option(
        "--socket",
        takes: "PATH",
        "listen on PATH in place of courier_socket; a socket from systemd comes first"
      ),
      Option(
        "--child",
        takes: "FD",
        "serve the connected socket FD and end with the process that inherited it to us"
      ),
      .help,
      .version,
    ],
    notes: "Ends after 60 seconds without work unless it is a child. SIGHUP reads the configuration again.",
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
