internal import Configuration
package import WebAddress

/// What the command line asks for.
package struct CourierOptions: Sendable, Equatable {
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

  /// The version of the program.
  package static let version = "0.1.0"

  /// How the program is used.
  package static let usage = """
    usage: mfad-courier [--config FILE] [--platform URL] [--socket PATH | --child FD]
           mfad-courier --help | --version

    Carries HTTPS requests for mfad to the origins that its configuration names, and to no others.
    For a sign-on in a browser it waits on 127.0.0.1 for the one redirect that ends it.

      --config FILE    read mfad's configuration from FILE
      --platform URL   use this platform in place of the configured ones
      --socket PATH    listen on PATH in place of courier_socket; a socket from systemd comes first
      --child FD       serve the connected socket FD and end with the process that inherited it to us
      --help           print this
      --version        print the version

    Ends after 60 seconds without work unless it is a child. SIGHUP reads the configuration again.
    Exit codes: 0 done, 1 failed, 2 wrong usage, 78 the configuration cannot be used.

    """

  /// Reads the arguments that follow the program's name.
  package init(parsing arguments: some Sequence<String>) throws(CourierUsageError) {
    var rest = Array(arguments)[...]
    var isModeGiven = false
    while let option = rest.popFirst() {
      switch option {
      case "--help": wantsHelp = true
      case "--version": wantsVersion = true
      case "--config": configurationFile = try Self.value(of: option, from: &rest)
      case "--platform":
        let value = try Self.value(of: option, from: &rest)
        platform = WebURL(value)
        guard platform != nil else { throw CourierUsageError("--platform needs an absolute URL") }
      case "--socket", "--child":
        guard !isModeGiven else { throw CourierUsageError("--socket and --child exclude each other") }
        isModeGiven = true
        let value = try Self.value(of: option, from: &rest)
        mode = option == "--socket" ? .socket(path: value) : .child(descriptor: try Self.descriptor(value))
      default: throw CourierUsageError("unknown argument \"\(option)\"")
      }
    }
  }

  private static func value(
    of option: String,
    from rest: inout ArraySlice<String>
  ) throws(CourierUsageError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw CourierUsageError("\(option) needs a value")
    }
    return value
  }

  private static func descriptor(_ value: String) throws(CourierUsageError) -> Int32 {
    guard let number = Int32(value), number > 2 else {
      throw CourierUsageError("--child needs the number of a descriptor above 2, not \"\(value)\"")
    }
    return number
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

/// A command line that cannot be followed.
package struct CourierUsageError: Error, Equatable, CustomStringConvertible {
  /// What is wrong, for a person.
  package let description: String

  init(_ description: String) { self.description = description }
}
