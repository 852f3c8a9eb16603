internal import Configuration

/// What `--check-config` says of a configuration that can be used.
enum ConfigurationCheck {
  /// The file by its name, and what is valid but missing for use.
  static func words(_ file: String?, _ configuration: Configuration) -> String {
    let missing = missing(from: configuration).map { "warning: \($0)\n" }
    return "\(file ?? "no configuration file, so everything is as by default"): valid\n" + missing.joined()
  }

  private static func missing(from configuration: Configuration) -> [String] {
    var missing: [String] = []
    if !configuration.hasPlatform { missing.append("no platform is set: nothing can be paired with PingOne") }
    if configuration.issuers.isEmpty, !configuration.hasPlatform, configuration.journeyServer == nil {
      missing.append("no issuer is set: nobody can sign on")
    }
    if configuration.clientID == nil {
      missing.append("no client_id is set: sign-ons and ID tokens are refused")
    }
    return missing
  }
}
