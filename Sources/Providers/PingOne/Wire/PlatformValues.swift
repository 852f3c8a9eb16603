public import Accounts
public import ControlAPI
public import JSON
internal import Text
internal import Time

/// What the platform says to a new identity.
public struct PlatformTrust: Sendable {
  /// The id that it gives the device.
  public let deviceID: String
  public let platformKeys: PlatformKeySet
  /// The issuers of ID tokens that belong to it.
  public let issuers: [String]

  public init(deviceID: String, platformKeys: PlatformKeySet, issuers: [String]) {
    (self.deviceID, self.platformKeys, self.issuers) = (deviceID, platformKeys, issuers)
  }
}

/// What a platform knows of a device.
public struct PlatformInfo: Sendable {
  /// Who is paired on it.
  public let users: [DeviceRecord]
  /// Whether an administrator waits for its logs.
  public let areLogsRequested: Bool

  /// What a platform knows.
  public init(users: [DeviceRecord], areLogsRequested: Bool) {
    (self.users, self.areLogsRequested) = (users, areLogsRequested)
  }
}

/// What the platform set up for a pairing key.
public struct PlatformPairing: Sendable {
  /// Its id on the platform.
  public let id: String
  public let user: User
  /// The id of their environment.
  public let environment: String
  /// What was set up.
  public let authenticators: [PairedAuthenticator]
  /// The passcode's secret, if there is one.
  public let oath: OATHSecret?
  /// Whether the organization wants its owner to be asked what the machine is called.
  public let wantsNickname: Bool

  /// What was set up.
  public init(
    id: String,
    user: User,
    environment: String,
    authenticators: [PairedAuthenticator],
    oath: OATHSecret?,
    wantsNickname: Bool = false
  ) {
    (self.id, self.user, self.environment) = (id, user, environment)
    (self.authenticators, self.oath, self.wantsNickname) = (authenticators, oath, wantsNickname)
  }
}

/// Pushes that were fetched together.
public struct PushBatch: Sendable {
  /// The pushes as compact JWSs.
  public let pushes: [String]
  /// Where to go on.
  public let cursor: String
  /// Whether more are waiting.
  public let hasMore: Bool
  /// Whether the platform forgot the cursor, so that everything outstanding has to be asked for.
  public let isCursorUnknown: Bool

  /// Pushes and where to go on.
  public init(pushes: [String], cursor: String, hasMore: Bool, isCursorUnknown: Bool = false) {
    (self.pushes, self.cursor, self.hasMore) = (pushes, cursor, hasMore)
    self.isCursorUnknown = isCursorUnknown
  }
}

/// An authentication code that was claimed.
public struct PlatformCode: Sendable {
  /// Its id on the platform.
  public let requestID: String
  public let status: AuthenticationObject.Status
  /// Who can authenticate with it.
  public let users: [User]
  public let userApproval: String
  /// What the relying party added.
  public let clientContext: JSON?
  /// The seconds in which it can be decided on, from its claim.
  public let lifetime: Int

  public init(
    requestID: String,
    status: AuthenticationObject.Status,
    users: [User],
    userApproval: String,
    clientContext: JSON?,
    lifetime: Int
  ) {
    (self.requestID, self.status, self.users) = (requestID, status, users)
    (self.userApproval, self.clientContext, self.lifetime) = (userApproval, clientContext, lifetime)
  }
}

extension AccountLock {
  /// A lock as a platform tells of it, in `policy` and `expiresAt`.
  public init?(platform json: JSON) {
    guard let policy = json["policy"]?.string else { return nil }
    let expiry = json["expiresAt"]?.string.flatMap { Timestamp(text: $0) }
    // An end that cannot be read is not the same as none.
    guard json["expiresAt"] == nil || expiry != nil else { return nil }
    self.init(policy: DisplayText.clean(policy), expiresAt: expiry)
  }
}

extension User {
  /// A user as a platform describes them, in either of the shapes that PingOne uses; the id must be one that can stand
  /// in a path.
  public init?(platform json: JSON) {
    guard let id = json["id"]?.string ?? json["userId"]?.string, id.isIdentifier else { return nil }
    let name = json["name"] ?? json
    let clean = { (text: String?) in text.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 } }
    self.init(
      id: id,
      username: clean(json["username"]?.string),
      email: clean(json["email"]?.string),
      given: clean(name["given"]?.string),
      family: clean(name["family"]?.string)
    )
  }
}
