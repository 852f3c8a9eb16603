internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let setup = Command(
    "setup",
    "[--config FILE]",
    options: [
      Option("--config", takes: "FILE", "write the configuration to FILE, instead of the standard one")
    ],
    summary: "configure this machine as an authenticator, and make a first passcode",
    details: """
      authctl explains each question and checks each answer before the next one; the issuer checks client_id
      and redirect_uri. Enter keeps the value of the present file. For PingOne, the id of the environment is
      enough as issuer. At the end authctl shows the configuration and writes it after you confirm: as root to
      /etc/mfad/mfad.conf, else to ~/.config/mfad/mfad.conf. It keeps the previous file with the suffix
      .before. Then you start the daemon, authctl runs "authctl doctor", and you sign on or give the address
      of a QR code. Accounts belong to the user that adds them: as root, name another user, and run
      "authctl setup" as that user. Nothing is changed before you confirm; Ctrl-C ends the dialogue.
      """
  ) { (session) throws(Failure) in
    guard let terminal = session.terminal else {
      throw session.misused("setup requires a terminal")
    }
    try SetupDialogue(session, terminal).run()
  }
}

/// The purpose of this machine's authenticator, with its questions and first command.
enum SetupPlan: CaseIterable {
  case codes, tenant, journeys, gateway

  var title: SafeText {
    switch self {
    case .codes: "a QR code or key of PingOne or another site: passcodes, without an administrator"
    case .tenant: "an application of your PingOne tenant: passcodes"
    case .journeys: "PingAM or Advanced Identity Cloud: journeys, pushes and passcodes"
    case .gateway: "PingOne behind a gateway: pushes, passcodes and pairing"
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

  /// The command that adds the first account.
  var beginning: [String] {
    switch self {
    case .gateway: [Command.login.name]
    case .tenant: [Command.login.name, "--add-passcode"]
    case .journeys, .codes: [Command.enrol.name]
    }
  }
}
