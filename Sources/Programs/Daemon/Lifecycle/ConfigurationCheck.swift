internal import Configuration
internal import ControlAPI

/// The output of `--check-config` for a valid configuration.
enum ConfigurationCheck {
  /// A key that is not set, so that some functions are unavailable.
  struct Missing {
    let words: String
    let cause: String
    let remedy: String

    init(_ key: String, _ words: String, cause: String) {
      (self.words, self.cause) = ("no \(key) is set: \(words)", cause)
      remedy = "set \"\(key)\" in mfad.conf, then \"sudo systemctl restart mfad\""
    }
  }

  /// Returns the name of the file and one warning for each missing key.
  static func words(_ file: String?, _ configuration: Configuration) -> String {
    let missing = missing(from: configuration).map { "warning: \($0.words)\n" }
    return "\(file ?? "no configuration file, so all defaults apply"): valid\n" + missing.joined()
  }

  /// Returns the missing keys; a configuration for passcodes or journeys alone needs no platform.
  static func missing(from configuration: Configuration) -> [Missing] {
    var missing: [Missing] = []
    let signsOn = !configuration.issuers.isEmpty && configuration.clientID != nil
    let hasJourneys = configuration.journeyServer != nil
    if !configuration.hasPlatform, !signsOn, !hasJourneys {
      let words = "nothing can be paired with PingOne"
      missing.append(Missing("platform", words, cause: ErrorCause.noPlatform.rawValue))
    }
    if configuration.issuers.isEmpty, !configuration.hasPlatform, !hasJourneys {
      missing.append(Missing("issuer", "no user can sign on", cause: "no-issuer"))
    }
    if configuration.clientID == nil, configuration.hasPlatform || !hasJourneys {
      let words = "sign-ons and ID tokens are refused"
      missing.append(Missing("client_id", words, cause: ErrorCause.noClientID.rawValue))
    }
    return missing
  }
}
