public import Usage

/// The options of the command line.
public struct AgentOptions: ProgramOptions, Equatable {
  /// The path of the daemon's socket.
  ///
  /// If `nil`, the agent uses `MFAD_SOCKET`, else the standard paths.
  public let socket: String?

  public init(_ arguments: Arguments) { socket = arguments["--socket"] }

  /// The usage that the help prints.
  public static let usage = ProgramUsage(
    "mfa-agent",
    forms: ["[--socket PATH]", "--help | --version"],
    summary: "shows sign-on requests on the desktop",
    purpose: """
      Shows your pending sign-on requests as notifications of your desktop, with buttons to answer them.
      """,
    options: [
      Option("--socket", takes: "PATH", "connect to mfad at PATH (default: $MFAD_SOCKET, else standard)"),
      .help,
      .version,
    ],
    notes: "Start it with your desktop: systemctl --user enable --now mfa-agent",
    exitCodes: [
      (0, "ended by a signal"), (1, "failed"), (2, "wrong usage"),
      (69, "no session bus"),
    ]
  )
}
