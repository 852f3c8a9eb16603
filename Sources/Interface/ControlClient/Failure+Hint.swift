extension Failure.Reason {
  /// What a person can do next, where whoever failed knows nothing better.
  package var hint: SafeText {
    switch self {
    case .alreadyAnswered: "\"authctl notifications --all\" shows how it ended"
    case .ambiguous: "name one by its id, or the beginning of it"
    case .auditBroken: "keep the state as it is, and tell an administrator"
    case .cancelled: "the same command asks again"
    case .denied: "if it was yours, begin the sign-on again"
    case .expired: "begin the sign-on again"
    case .notFound: "\"authctl accounts\" and \"authctl notifications\" list what there is"
    case .notTheDaemon: "nothing more is sent to it; \"ss -xlp\" says who listens"
    case .output: "\"df\" says whether there is room where it is written to"
    case .pairingFailed: "\"authctl doctor\" says what is wrong here; then begin the pairing again"
    case .permissionDenied: "root may, and members of the group mfad-users"
    case .platformUnreachable: "\"authctl doctor\" says how far it gets"
    case .pushTestFailed: "mend what failed first, and test again"
    case .signOnFailed: "the sign-on is over; start it again"
    case .timedOut: "--timeout SECONDS waits longer"
    case .toolMissing: "install it, or look at its name and at PATH"
    case .unreachable: "the daemon's journal may say why: \"journalctl -u mfad\""
    case .usage: "--help lists the commands, and after one explains it"
    }
  }
}
