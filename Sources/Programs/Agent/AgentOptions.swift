/// What the command line asks for.
package struct AgentOptions: Sendable, Equatable {
  /// The daemon's socket; `nil`: the environment's, else the usual places.
  package private(set) var socket: String?
  /// Whether only the usage is to be printed.
  package private(set) var wantsHelp = false
  /// Whether only the version is to be printed.
  package private(set) var wantsVersion = false

  /// The version of the program.
  package static let version = "0.1.0"

  /// How the program is used.
  package static let usage = """
    usage: mfa-agent [--socket PATH]
           mfa-agent --help | --version

    Shows the sign-on requests that wait for you as notifications of your desktop, with buttons to answer them.

      --socket PATH    the socket of mfad, in place of $MFAD_SOCKET and the usual places
      --help           print this
      --version        print the version

    It is started with your desktop: systemctl --user enable --now mfa-agent
    Exit codes: 0 ended by a signal, 1 failed, 2 wrong usage, 69 there is no message bus of a session.

    """

  /// Reads the arguments that follow the program's name.
  package init(parsing arguments: some Sequence<String>) throws(AgentUsageError) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      switch option {
      case "--help": wantsHelp = true
      case "--version": wantsVersion = true
      case "--socket":
        guard let path = rest.popFirst(), !path.isEmpty else {
          throw AgentUsageError("--socket needs a value")
        }
        socket = path
      default: throw AgentUsageError("unknown argument \"\(option)\"")
      }
    }
  }
}

/// A command line that cannot be followed.
package struct AgentUsageError: Error, Equatable, CustomStringConvertible {
  /// What is wrong, for a person.
  package let description: String

  init(_ description: String) { self.description = description }
}
