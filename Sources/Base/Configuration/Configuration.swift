public import Journal
public import WebAddress

/// What an administrator can decide, as read from `mfad.conf` and checked.
public struct Configuration: Sendable {
  /// Base URL of the device service for every geography that has none of its own.
  public internal(set) var platform: WebURL?
  /// Base URLs of the device service for single geographies.
  public internal(set) var platforms: [Geography: WebURL] = [:]
  /// RFC 7638 thumbprints of the platform keys that are trusted; empty: the first key met is kept.
  public internal(set) var platformKeys: [String] = []
  /// Whether `http://` to a loopback host is allowed.
  public internal(set) var allowsLoopbackHTTP = false
  /// Issuers whose ID tokens are accepted, exact.
  public internal(set) var issuers: [String] = []
  /// Files with the keys of issuers whose keys are never fetched.
  public internal(set) var issuerKeyFiles: [String: String] = [:]
  /// The OIDC client; without it ID tokens are refused.
  public internal(set) var clientID: String?
  /// The redirect URI that is registered for the client.
  public internal(set) var redirectURI: String?
  /// The scope that a sign-on asks for.
  public internal(set) var scope = "openid profile"
  /// JOSE names of the algorithms that an ID token may be signed with.
  public internal(set) var idTokenAlgorithms: [String] = ["RS256"]
  /// The claim of an ID token that asks for pairing.
  public internal(set) var pairingClaim = "mfa_pairing"
  /// The application id by which the platform knows this authenticator.
  public internal(set) var applicationID = "mfad"
  /// The geography that is configured at an owner's first use.
  public internal(set) var geography: Geography?
  /// PingOne's interface of devices for issuers from whose address it cannot be told.
  public internal(set) var pingOneAPI: WebURL?
  /// The environment of such issuers.
  public internal(set) var pingOneEnvironment: String?
  /// Base URL of PingAM up to `/am`.
  public internal(set) var journeyServer: WebURL?
  public internal(set) var journeyRealm = "alpha"
  /// PingAM servers whose enrolments are taken; empty: that of the journeys.
  public internal(set) var amOrigins: [WebURL] = []
  /// Name of PingAM's session cookie.
  public internal(set) var journeyCookie = "iPlanetDirectoryPro"
  /// ntfy or UnifiedPush servers at which the courier may hold subscriptions.
  public internal(set) var pushRelays: [WebURL] = []
  /// File with certificate authorities instead of the system's.
  public internal(set) var certificateAuthorityFile: String?
  /// Proxy for the courier; those of the environment are ignored.
  public internal(set) var proxy: WebURL?
  /// Path of the control socket.
  public internal(set) var socket: String?
  /// Group that may connect to the control socket.
  public internal(set) var socketGroup: String?
  /// Directory of the state.
  public internal(set) var stateDirectory: String?
  /// Path of the courier's socket.
  public internal(set) var courierSocket = "/run/mfad-courier/courier.sock"
  /// Name of the systemd credential with the key-encryption key.
  public internal(set) var keyEncryptionCredential = "mfad.kek"
  /// Whether pushes without a number may not be approved.
  public internal(set) var requiresNumber = false
  /// Whether a code that needs no approval is still asked about.
  public internal(set) var requiresApproval = true
  /// Which approvals want the person verified, at least.
  public internal(set) var requiredPresence = PresenceRequirement.passkeys
  /// Whether tokens of a sign-on are kept, sealed.
  public internal(set) var keepsSession = false
  /// Whether an administrator's request for logs is answered.
  public internal(set) var allowsLogRequests = true
  /// The most connections at a time, in all.
  public internal(set) var maximumConnections = 256
  /// The most connections at a time of one user.
  public internal(set) var maximumConnectionsPerUser = 16
  /// How many days answered notifications and audit rows stay.
  public internal(set) var retentionDays = 30
  /// Lines less urgent than this are not logged.
  public internal(set) var logLevel = Journal.Level.info

  /// The configuration of an empty file.
  public init() {}

  /// The base URL of the device service for a geography, if one is configured.
  public func platform(for geography: Geography) -> WebURL? { platforms[geography] ?? platform }

  /// Whether there is a device service, which pairs.
  public var hasPlatform: Bool { platform != nil || !platforms.isEmpty }

  /// The same configuration with another device service for all geographies, as a flag can ask.
  public func replacingPlatform(with url: WebURL) throws(ConfigurationError) -> Configuration {
    guard allows(url) else {
      throw ConfigurationError(file: "--platform", line: 0, problem: Self.schemeProblem)
    }
    var copy = self
    (copy.platform, copy.platforms) = (url, [:])
    return copy
  }

  /// The origins of the PingAM servers whose enrolments are taken.
  public var enrolmentOrigins: Set<Origin> {
    Set((amOrigins.isEmpty ? [journeyServer].compactMap(\.self) : amOrigins).map(\.origin))
  }

  /// The origins that requests may go to: those of platforms, of issuers and their tenants, of the journey
  /// server and of PingAM's.
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
  /// The names of the keys that differ and only count from the next start.
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

  /// The new configuration, but with the old values of what only counts from the next start.
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

/// Which approvals want the person verified who gives them.
public enum PresenceRequirement: String, CaseIterable, Comparable, Sendable {
  case none, passkeys, all

  private var strictness: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  public static func < (left: Self, right: Self) -> Bool { left.strictness < right.strictness }
}
