public import Usage

/// What the command line asks for.
public struct AgentOptions: ProgramOptions, Equatable {
  /// The daemon's socket; `nil`: the environment's, else the usual places.
  public let socket: String?

  public init(_ arguments: Arguments) { socket = arguments["--socket"] }

  /// How the program is used.
  public static let usage = ProgramUsage(
    "mfa-agent",
    forms: ["[--socket PATH]", "--help | --version"],
    summary: "shows sign-on requests on the desktop",
    purpose: """
      Shows the sign-on requests that wait for you as notifications of your desktop, with buttons to answer them.
      """,
    options: [
      Option(
        "--socket",
        takes: "PATH",
        "the socket of mfad, in place of $MFAD_SOCKET and the usual places"
      ),
      .help,
      .version,
    ],
    notes: "It is started with your desktop: systemctl --user enable --now mfa-agent",
    exitCodes: [
      (0, "ended by a signal"), (1, "failed"), (2, "wrong usage"),
      (69, "there is no message bus of a session"),
    ]
  )
}
