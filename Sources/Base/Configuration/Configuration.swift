package import Journal
package import WebAddress

/// What an administrator can decide, as read from `mfad.conf` and checked.
package struct Configuration: Sendable {
  /// Base URL of the device service for every geography that has none of its own.
  package internal(set) var platform: WebURL?
  /// Base URLs of the device service for single geographies.
  package internal(set) var platforms: [Geography: WebURL] = [:]
  /// RFC 7638 thumbprints of the platform keys that are trusted; empty: the first key met is kept.
  package internal(set) var platformKeys: [String] = []
  /// Whether `http://` to a loopback host is allowed.
  package internal(set) var allowsLoopbackHTTP = false
  /// Issuers whose ID tokens are accepted, exact.
  package internal(set) var issuers: [String] = []
  /// Files with the keys of issuers whose keys are never fetched.
  package internal(set) var issuerKeyFiles: [String: String] = [:]
  /// The OIDC client; without it ID tokens are refused.
  package internal(set) var clientID: String?
  /// The redirect URI that is registered for the client.
  package internal(set) var redirectURI: String?
  /// The scope that a sign-on asks for.
  package internal(set) var scope = "openid profile"
  /// JOSE names of the algorithms that an ID token may be signed with.
  package internal(set) var idTokenAlgorithms: [String] = ["RS256"]
  /// The claim of an ID token that asks for pairing.
  package internal(set) var pairingClaim = "mfa_pairing"
  /// The application id by which the platform knows this authenticator.
  package internal(set) var applicationID = "mfad"
  /// The geography that is configured at an owner's first use.
  package internal(set) var geography: Geography?
  /// PingOne's interface of devices for issuers from whose address it cannot be told.
  package internal(set) var pingOneAPI: WebURL?
  /// The environment of such issuers.
  package internal(set) var pingOneEnvironment: String?
  /// Base URL of PingAM up to `/am`.
  package internal(set) var journeyServer: WebURL?
  package internal(set) var journeyRealm = "alpha"
  /// PingAM servers whose enrolments are taken; empty: that of the journeys.
  package internal(set) var amOrigins: [WebURL] = []
  /// Name of PingAM's session cookie.
  package internal(set) var journeyCookie = "iPlanetDirectoryPro"
  /// ntfy or UnifiedPush servers at which the courier may hold subscriptions.
  package internal(set) var pushRelays: [WebURL] = []
  /// File with certificate authorities instead of the system's.
  package internal(set) var certificateAuthorityFile: String?
  /// Proxy for the courier; those of the environment are ignored.
  package internal(set) var proxy: WebURL?
  /// Path of the control socket.
  package internal(set) var socket: String?
  /// Group that may connect to the control socket.
  package internal(set) var socketGroup: String?
  /// Directory of the state.
  package internal(set) var stateDirectory: String?
  /// Path of the courier's socket.
  package internal(set) var courierSocket = "/run/mfad-courier/courier.sock"
  /// Name of the systemd credential with the key-encryption key.
  package internal(set) var keyEncryptionCredential = "mfad.kek"
  /// Whether pushes without a number may not be approved.
  package internal(set) var requiresNumber = false
  /// Whether a code that needs no approval is still asked about.
  package internal(set) var requiresApproval = true
  /// Which approvals want the person verified, at least.
  package internal(set) var requiredPresence = PresenceRequirement.passkeys
  /// Whether tokens of a sign-on are kept, sealed.
  package internal(set) var keepsSession = false
  /// Whether an administrator's request for logs is answered.
  package internal(set) var allowsLogRequests = true
  /// The most connections at a time, in all.
  package internal(set) var maximumConnections = 256
  /// The most connections at a time of one user.
  package internal(set) var maximumConnectionsPerUser = 16
  /// How many days answered notifications and audit rows stay.
  package internal(set) var retentionDays = 30
  /// Lines less urgent than this are not logged.
  package internal(set) var logLevel = Journal.Level.info

  /// The configuration of an empty file.
  package init() {}

  /// The base URL of the device service for a geography, if one is configured.
  package func platform(for geography: Geography) -> WebURL? { platforms[geography] ?? platform }

  /// Whether there is a device service, which pairs.
  package var hasPlatform: Bool { platform != nil || !platforms.isEmpty }

  /// The same configuration with another device service for all geographies, as a flag can ask.
  package func replacingPlatform(with url: WebURL) throws(ConfigurationError) -> Configuration {
    guard allows(url) else {
      throw ConfigurationError(file: "--platform", line: 0, problem: Self.schemeProblem)
    }
    var copy = self
    (copy.platform, copy.platforms) = (url, [:])
    return copy
  }

  /// The origins of the PingAM servers whose enrolments are taken.
  package var enrolmentOrigins: Set<Origin> {
    Set((amOrigins.isEmpty ? [journeyServer].compactMap(\.self) : amOrigins).map(\.origin))
  }

  /// The origins that requests may go to: those of platforms, of issuers and their tenants, of the journey
  /// server and of PingAM's.
  package var allowedOrigins: Set<Origin> {
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
  package func keysThatNeedRestart(comparedWith new: Configuration) -> [String] {
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
  package func applying(_ new: Configuration) -> Configuration {
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
package enum PresenceRequirement: String, CaseIterable, Comparable, Sendable {
  case none, passkeys, all

  private var strictness: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  package static func < (left: Self, right: Self) -> Bool { left.strictness < right.strictness }
}
