internal import Configuration
package import Usage
package import WebAddress

/// What the command line asks for.
package struct CourierOptions: ProgramOptions, Equatable {
  /// Where the courier meets `mfad`.
  package enum Mode: Sendable, Equatable {
    /// A socket handed over by the service manager, else this path, else the configured one.
    case socket(path: String?)
    /// A connected socket under this number, inherited from `mfad`.
    case child(descriptor: Int32)
  }

  /// Where the courier meets `mfad`.
  package var mode = Mode.socket(path: nil)
  /// The configuration file; without one nothing is configured.
  package var configurationFile: String?
  /// A platform that takes the place of those in the file.
  package var platform: WebURL?
  /// Whether only the usage is to be printed.
  package var wantsHelp = false
  /// Whether only the version is to be printed.
  package var wantsVersion = false

  /// How the program is used.
  package static let usage = ProgramUsage<CourierOptions>(
    "mfad-courier",
    forms: ["[--config FILE] [--platform URL] [--socket PATH | --child FD]", "--help | --version"],
    summary: "carries the HTTPS requests of mfad",
    purpose: """
      Carries HTTPS requests for mfad to the origins that its configuration names, and to no others.
      For a sign-on in a browser it waits on 127.0.0.1 for the one redirect that ends it.
      """,
    options: [
      .text("--config", "FILE", \.configurationFile, "read mfad's configuration from FILE"),
      ProgramOption("--platform", takes: "URL", "use this platform in place of the configured ones") {
        (options, text) throws(UsageError) in
        guard let url = WebURL(text) else { throw UsageError("--platform needs an absolute URL") }
        options.platform = url
      },
      ProgramOption(
        "--socket",
        takes: "PATH",
        "listen on PATH in place of courier_socket; a socket from systemd comes first"
      ) { (options, path) throws(UsageError) in try options.choose(.socket(path: path)) },
      ProgramOption(
        "--child",
        takes: "FD",
        "serve the connected socket FD and end with the process that inherited it to us"
      ) { (options, text) throws(UsageError) in
        guard let number = Int32(text), number > 2 else {
          throw UsageError("--child needs the number of a descriptor above 2, not \"\(text)\"")
        }
        try options.choose(.child(descriptor: number))
      },
      .help(\.wantsHelp),
      .version(\.wantsVersion),
    ],
    notes: "Ends after 60 seconds without work unless it is a child. SIGHUP reads the configuration again.",
    exitCodes: [(0, "done"), (1, "failed"), (2, "wrong usage"), (78, "the configuration cannot be used")]
  )

  package init() {}

  private mutating func choose(_ chosen: Mode) throws(UsageError) {
    guard mode == .socket(path: nil) else { throw UsageError("--socket and --child exclude each other") }
    mode = chosen
  }
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
