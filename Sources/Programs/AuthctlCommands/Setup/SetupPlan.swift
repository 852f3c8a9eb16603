internal import ControlClient

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
