public import Journal
public import WebAddress

/// The settings of `mfad.conf`, read and checked.
public struct Configuration: Sendable, Equatable {
  /// Base URL of the device service for every geography without a URL of its own.
  public internal(set) var platform: WebURL?
  /// Base URLs of the device service for single geographies.
  public internal(set) var platforms: [Geography: WebURL] = [:]
  /// RFC 7638 thumbprints of the trusted platform keys; if empty, mfad trusts the first key that it receives.
  public internal(set) var platformKeys: [String] = []
  /// True if `http://` to a loopback host is allowed.
  public internal(set) var allowsLoopbackHTTP = false
  /// Issuers of accepted ID tokens, compared exactly.
  public internal(set) var issuers: [String] = []
  /// Paths of the files with an issuer's keys, by issuer.
  ///
  /// mfad never fetches the keys of these issuers.
  public internal(set) var issuerKeyFiles: [String: String] = [:]
  /// The OIDC client id; without it mfad refuses ID tokens.
  public internal(set) var clientID: String?
  /// The redirect URI that is registered for the client id.
  public internal(set) var redirectURI: String?
  /// The scope that a sign-on requests.
  public internal(set) var scope = "openid profile"
  /// JOSE names of the accepted signature algorithms of ID tokens.
  public internal(set) var idTokenAlgorithms: [String] = ["RS256"]
  /// Name of the ID token claim that requests pairing.
  public internal(set) var pairingClaim = "mfa_pairing"
  /// The application id of this authenticator at the platform.
  public internal(set) var applicationID = "mfad"
  /// The geography that mfad sets for an owner at first use.
  public internal(set) var geography: Geography?
  /// URL of PingOne's device API; required if mfad cannot derive it from the issuer's URL.
  public internal(set) var pingOneAPI: WebURL?
  /// The PingOne environment id, for the same issuers as `pingOneAPI`.
  public internal(set) var pingOneEnvironment: String?
  /// Base URL of PingAM, up to and including `/am`.
  public internal(set) var journeyServer: WebURL?
  public internal(set) var journeyRealm = "alpha"
  /// PingAM servers from which enrolments are accepted; if empty, only the journey server is accepted.
  public internal(set) var amOrigins: [WebURL] = []
  /// Name of PingAM's session cookie.
  public internal(set) var journeyCookie = "iPlanetDirectoryPro"
  /// ntfy or UnifiedPush servers at which the courier may hold subscriptions.
  public internal(set) var pushRelays: [WebURL] = []
  /// File with certificate authorities that replace the system's.
  public internal(set) var certificateAuthorityFile: String?
  /// Proxy of the courier; proxy variables of the environment are ignored.
  public internal(set) var proxy: WebURL?
  /// Path of the control socket.
  public internal(set) var socket: String?
  /// Group that may connect to the control socket.
  public internal(set) var socketGroup: String?
  public internal(set) var stateDirectory: String?
  /// Path of the courier's socket.
  public internal(set) var courierSocket = "/run/mfad-courier/courier.sock"
  /// Name of the systemd credential with the key-encryption key.
  public internal(set) var keyEncryptionCredential = "mfad.kek"
  /// True if a push without number matching cannot be approved.
  public internal(set) var requiresNumber = false
  /// True if mfad asks the user about every authentication code, even if the platform requires no approval.
  public internal(set) var requiresApproval = true
  /// The approvals that require user verification; users can require more, never less.
  public internal(set) var requiredPresence = PresenceRequirement.passkeys
  /// True if mfad keeps the tokens of a sign-on, in sealed form.
  public internal(set) var keepsSession = false
  /// True if mfad answers an administrator's request for logs.
  public internal(set) var allowsLogRequests = true
  /// Maximum number of simultaneous connections.
  public internal(set) var maximumConnections = 256
  /// Maximum number of simultaneous connections of one user.
  public internal(set) var maximumConnectionsPerUser = 16
  /// Number of days for which answered notifications and audit rows are kept.
  public internal(set) var retentionDays = 30
  /// Minimum severity of the lines that are logged.
  public internal(set) var logLevel = Journal.Level.info

  /// The configuration of an empty file.
  public init() {}

  /// Returns the base URL of the device service for a geography; `nil` if none is configured.
  public func platform(for geography: Geography) -> WebURL? { platforms[geography] ?? platform }

  /// True if a device service is configured; pairing needs one.
  public var hasPlatform: Bool { platform != nil || !platforms.isEmpty }

  /// Returns the configuration with another device service for all geographies, for `--platform`.
  public func replacingPlatform(with url: WebURL) throws(ConfigurationError) -> Configuration {
    guard allows(url) else {
      throw ConfigurationError(file: "--platform", line: 0, problem: Self.schemeProblem)
    }
    var copy = self
    (copy.platform, copy.platforms) = (url, [:])
    return copy
  }

  /// Origins of the PingAM servers from which enrolments are accepted.
  public var enrolmentOrigins: Set<Origin> {
    Set((amOrigins.isEmpty ? [journeyServer].compactMap(\.self) : amOrigins).map(\.origin))
  }

  /// Origins that requests may go to: platforms, issuers and their tenants, the journey server and the PingAM
  /// servers.
  public var allowedOrigins: Set<Origin> {
    var origins = Set(platforms.values.map(\.origin))
    origins.formUnion(issuers.compactMap { WebURL($0)?.origin })
    origins.formUnion(issuers.compactMap { tenant(of: $0)?.api.origin })
    if let pingOneAPI { origins.insert(pingOneAPI.origin) }
    if let platform { origins.insert(platform.origin) }
    if let journeyServer { origins.insert(journeyServer.origin) }
    origins.formUnion(enrolmentOrigins)
    return origins
  }

  static let schemeProblem =
    "must begin with https://, or with http:// and a loopback host when allow_loopback_http = yes"

  func allows(_ url: WebURL) -> Bool {
    url.origin.scheme == .https || (allowsLoopbackHTTP && url.origin.isLoopback)
  }
}

extension Configuration {
  /// Returns the names of the keys with a changed value that takes effect only at the next start.
  public func keysThatNeedRestart(comparedWith new: Configuration) -> [String] {
    let comparisons: [(String, Bool)] = [
      ("app_id", applicationID == new.applicationID),
      ("ca_file", certificateAuthorityFile == new.certificateAuthorityFile),
      ("courier_socket", courierSocket == new.courierSocket),
      ("key_encryption_credential", keyEncryptionCredential == new.keyEncryptionCredential),
      ("platform", platform == new.platform && platforms == new.platforms),
      ("proxy", proxy == new.proxy),
      ("socket", socket == new.socket), ("socket_group", socketGroup == new.socketGroup),
      ("state_directory", stateDirectory == new.stateDirectory),
    ]
    return comparisons.filter { !$0.1 }.map(\.0)
  }

  /// Returns the new configuration, with the old values of the keys that take effect only at the next start.
  public func applying(_ new: Configuration) -> Configuration {
    var result = new
    (result.applicationID, result.certificateAuthorityFile) = (applicationID, certificateAuthorityFile)
    (result.courierSocket, result.keyEncryptionCredential) = (courierSocket, keyEncryptionCredential)
    (result.platform, result.platforms) = (platform, platforms)
    (result.proxy, result.socket, result.socketGroup) = (proxy, socket, socketGroup)
    result.stateDirectory = stateDirectory
    return result
  }
}

/// The approvals that require user verification.
public enum PresenceRequirement: String, CaseIterable, Comparable, Sendable {
  case none, passkeys, all

  private var strictness: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  public static func < (left: Self, right: Self) -> Bool { left.strictness < right.strictness }
}
