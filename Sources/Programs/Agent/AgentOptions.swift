package import Usage

/// What the command line asks for.
package struct AgentOptions: ProgramOptions, Equatable {
  /// The daemon's socket; `nil`: the environment's, else the usual places.
  package private(set) var socket: String?
  /// Whether only the usage is to be printed.
  package var wantsHelp = false
  /// Whether only the version is to be printed.
  package var wantsVersion = false

  /// How the program is used.
  package static let usage = ProgramUsage<AgentOptions>(
    "mfa-agent",
    forms: ["[--socket PATH]", "--help | --version"],
    summary: "shows sign-on requests on the desktop",
    purpose: """
      Shows the sign-on requests that wait for you as notifications of your desktop, with buttons to answer them.
      """,
    options: [
      .text(
        "--socket",
        "PATH",
        \.socket,
        "the socket of mfad, in place of $MFAD_SOCKET and the usual places"
      ),
      .help(\.wantsHelp),
      .version(\.wantsVersion),
    ],
    notes: "It is started with your desktop: systemctl --user enable --now mfa-agent",
    exitCodes: [
      (0, "ended by a signal"), (1, "failed"), (2, "wrong usage"),
      (69, "there is no message bus of a session"),
    ]
  )

  package init() {}
}
