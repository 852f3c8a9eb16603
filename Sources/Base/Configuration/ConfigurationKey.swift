internal import Journal
internal import Text
internal import WebAddress

/// A key of the configuration file: its name, the allowed values, and the function that stores a value.
public struct ConfigurationKey: Sendable {
  public let name: String
  /// Describes the allowed values in words.
  public let allowed: String
  var isRepeatable = false
  /// Stores a value; returns false if the value is not allowed.
  let apply: @Sendable (inout Configuration, String) -> Bool

  /// All keys in alphabetical order.
  public static let all: [ConfigurationKey] = [
    flag("allow_log_requests", \.allowsLogRequests),
    flag("allow_loopback_http", \.allowsLoopbackHTTP),
    ConfigurationKey(name: "am_origin", allowed: "an origin, such as https://am.example", isRepeatable: true)
    {
      configuration,
      value in
      guard let url = WebURL(value), url.path == "/", url.query == nil else { return false }
      configuration.amOrigins.append(url)
      return true
    },
    text("app_id", \.applicationID, "letters, digits, '.', '_' and '-', at most 64", \.isIdentifier),
    path("ca_file", \.certificateAuthorityFile),
    optionalText("client_id", \.clientID, "a client id without spaces, at most 256 characters", isToken),
    text("courier_socket", \.courierSocket, "an absolute path", isPath),
    ConfigurationKey(name: "geo", allowed: geographyNames) { configuration, value in
      guard let geography = Geography(named: value) else { return false }
      configuration.geography = geography
      return true
    },
    ConfigurationKey(
      name: "id_token_algorithm",
      allowed: algorithms.joined(separator: ", "),
      isRepeatable: true
    ) {
      configuration,
      value in
      guard algorithms.contains(value) else { return false }
      configuration.idTokenAlgorithms.append(value)
      return true
    },
    ConfigurationKey(name: "issuer", allowed: "an absolute URL without query", isRepeatable: true) {
      configuration,
      value in
      guard let url = WebURL(value), url.query == nil else { return false }
      configuration.issuers.append(value)
      return true
    },
    ConfigurationKey(name: "issuer_jwks", allowed: "<issuer>=<absolute path>", isRepeatable: true) {
      configuration,
      value in
      guard let split = value.firstIndex(of: "=") else { return false }
      let (issuer, file) = (String(value[..<split]), String(value[value.index(after: split)...]))
      guard WebURL(issuer) != nil, isPath(file), configuration.issuerKeyFiles[issuer] == nil else {
        return false
      }
      configuration.issuerKeyFiles[issuer] = file
      return true
    },
    text("journey_cookie", \.journeyCookie, "a cookie name, at most 256 characters", isToken),
    text("journey_realm", \.journeyRealm, "a realm, at most 256 characters", isToken),
    url("journey_server", \.journeyServer),
    flag("keep_session", \.keepsSession),
    text("key_encryption_credential", \.keyEncryptionCredential, "a credential's name", \.isIdentifier),
    ConfigurationKey(name: "log_level", allowed: "error, warning, info or debug") { configuration, value in
      let levels: [String: Journal.Level] = [
        "error": .error, "warning": .warning, "info": .info, "debug": .debug,
      ]
      guard let level = levels[value] else { return false }
      configuration.logLevel = level
      return true
    },
    number("max_connections", \.maximumConnections, 1...4096),
    number("max_connections_per_uid", \.maximumConnectionsPerUser, 1...4096),
    text("pairing_claim", \.pairingClaim, "a claim's name, at most 256 characters", isToken),
    url("pingone_api", \.pingOneAPI),
    optionalText("pingone_environment", \.pingOneEnvironment, "the id of an environment", \.isIdentifier),
    ConfigurationKey(name: "platform", allowed: "<url> or <geo>=<url>", isRepeatable: true) {
      configuration,
      value in applyPlatform(value, to: &configuration)
    },
    ConfigurationKey(
      name: "platform_key",
      allowed: "an RFC 7638 thumbprint (43 characters)",
      isRepeatable: true
    ) {
      configuration,
      value in
      guard value.utf8.count == 43, value.isIdentifier else { return false }
      configuration.platformKeys.append(value)
      return true
    },
    url("proxy", \.proxy),
    ConfigurationKey(
      name: "push_relay",
      allowed: "an origin without path, such as https://ntfy.example",
      isRepeatable: true
    ) {
      configuration,
      value in
      guard let url = WebURL(value), url.path == "/", url.query == nil else { return false }
      configuration.pushRelays.append(url)
      return true
    },
    optionalText("redirect_uri", \.redirectURI, "an absolute URL") { WebURL($0) != nil },
    flag("require_approval", \.requiresApproval),
    flag("require_number", \.requiresNumber),
    ConfigurationKey(name: "require_presence", allowed: "none, passkeys or all") { configuration, value in
      guard let requirement = PresenceRequirement(rawValue: value) else { return false }
      configuration.requiredPresence = requirement
      return true
    },
    number("retention_days", \.retentionDays, 1...3650),
    text("scope", \.scope, "scopes separated by spaces, openid among them") {
      $0.split(separator: " ").contains("openid")
    },
    path("socket", \.socket),
    optionalText("socket_group", \.socketGroup, "a group's name", \.isIdentifier),
    path("state_directory", \.stateDirectory),
  ]

  private static let algorithms = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
  ]

  private static let geographyNames = Geography.allCases.map(\.rawValue).joined(separator: ", ")

  private static func applyPlatform(_ value: String, to configuration: inout Configuration) -> Bool {
    if let url = WebURL(value) {
      guard configuration.platform == nil else { return false }
      configuration.platform = url
      return true
    }
    guard let split = value.firstIndex(of: "="), let geography = Geography(named: value[..<split]),
      let url = WebURL(String(value[value.index(after: split)...])), configuration.platforms[geography] == nil
    else { return false }
    configuration.platforms[geography] = url
    return true
  }
}

extension ConfigurationKey {
  private typealias Field<Value> = any WritableKeyPath<Configuration, Value> & Sendable

  private static func flag(_ name: String, _ field: Field<Bool>) -> ConfigurationKey {
    ConfigurationKey(name: name, allowed: "yes or no") { configuration, value in
      guard value == "yes" || value == "no" else { return false }
      configuration[keyPath: field] = value == "yes"
      return true
    }
  }

  private static func number(
    _ name: String,
    _ field: Field<Int>,
    _ range: ClosedRange<Int>
  ) -> ConfigurationKey {
    let allowed = "a number from \(range.lowerBound) to \(range.upperBound)"
    return ConfigurationKey(name: name, allowed: allowed) { configuration, value in
      guard let number = Int(value), range.contains(number) else { return false }
      configuration[keyPath: field] = number
      return true
    }
  }

  private static func text(
    _ name: String,
    _ field: Field<String>,
    _ allowed: String,
    _ isAllowed: @escaping @Sendable (String) -> Bool
  ) -> ConfigurationKey {
    ConfigurationKey(name: name, allowed: allowed) { configuration, value in
      guard isAllowed(value) else { return false }
      configuration[keyPath: field] = value
      return true
    }
  }

  private static func optionalText(
    _ name: String,
    _ field: Field<String?>,
    _ allowed: String,
    _ isAllowed: @escaping @Sendable (String) -> Bool
  ) -> ConfigurationKey {
    ConfigurationKey(name: name, allowed: allowed) { configuration, value in
      guard isAllowed(value) else { return false }
      configuration[keyPath: field] = value
      return true
    }
  }

  private static func path(_ name: String, _ field: Field<String?>) -> ConfigurationKey {
    optionalText(name, field, "an absolute path", isPath)
  }

  private static func url(_ name: String, _ field: Field<WebURL?>) -> ConfigurationKey {
    ConfigurationKey(name: name, allowed: "an absolute URL") { configuration, value in
      guard let url = WebURL(value) else { return false }
      configuration[keyPath: field] = url
      return true
    }
  }

  private static let isPath: @Sendable (String) -> Bool = { value in
    value.hasPrefix("/") && value.utf8.count <= 4096 && !value.utf8.contains(0)
  }

  private static let isToken: @Sendable (String) -> Bool = { value in
    (1...256).contains(value.utf8.count) && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}
