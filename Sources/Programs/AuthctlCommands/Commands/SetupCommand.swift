internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let setup = Command(
    "setup",
    "[--config FILE]",
    options: [Option("--config", takes: "FILE", "the configuration to write, instead of the usual one")],
    summary: "ask what this machine needs to be an authenticator, write it down, and make a first passcode",
    details: """
      Each question says what it is about, and each answer is tried before the next one. At the end the configuration is
      shown, and written after a yes: as root /etc/mfad/mfad.conf, else ~/.config/mfad/mfad.conf. What was there
      before is kept beside it with the ending .before. Then you start the daemon with it, it is asked whether all is
      well, and you sign on, or give the address of a QR code; after sudo you do so by "authctl setup" as yourself.
      Nothing is changed before that yes; Ctrl-C ends it.
      """
  ) { (session) throws(Failure) in
    guard let terminal = session.terminal else {
      throw session.misused("there is nobody to be asked without a terminal")
    }
    try SetupDialogue(session, terminal).run()
  }
}

/// What this machine is to be an authenticator for, what that needs, and how it begins.
enum SetupPlan: CaseIterable {
  case gateway, tenant, journeys, codes

  var title: SafeText {
    switch self {
    case .gateway: "PingOne behind a gateway: pushes, passcodes and pairing"
    case .tenant: "PingOne as it is: passcodes"
    case .journeys: "PingAM or Advanced Identity Cloud: journeys, pushes and passcodes"
    case .codes: "passcodes of other sites, by their QR codes"
    }
  }

  var questions: [SetupQuestion] {
    let signOn: [SetupQuestion] = [.issuer, .clientID, .redirectURI]
    return switch self {
    case .gateway: [.platform, .platformKey] + signOn
    case .tenant: signOn
    case .journeys: [.journeyServer, .journeyRealm]
    case .codes: []
    }
  }

  /// The command by which somebody becomes able to sign on with this machine.
  var beginning: [String] {
    switch self {
    case .gateway: [Command.login.name]
    case .tenant: [Command.login.name, "--add-passcode"]
    case .journeys, .codes: [Command.enrol.name]
    }
  }
}
