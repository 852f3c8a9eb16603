public import Accounts
public import ControlAPI
public import JSON
internal import Text
internal import Time

/// The platform's response to a new identity.
public struct PlatformTrust: Sendable {
  /// The device ID from the platform.
  public let deviceID: String
  public let platformKeys: PlatformKeySet
  /// The issuers of ID tokens that belong to the platform.
  public let issuers: [String]

  public init(deviceID: String, platformKeys: PlatformKeySet, issuers: [String]) {
    (self.deviceID, self.platformKeys, self.issuers) = (deviceID, platformKeys, issuers)
  }
}

/// A platform's records of a device.
public struct PlatformInfo: Sendable {
  /// The users that are paired on the device.
  public let users: [DeviceRecord]
  /// True if an administrator has requested the device's logs.
  public let areLogsRequested: Bool

  public init(users: [DeviceRecord], areLogsRequested: Bool) {
    (self.users, self.areLogsRequested) = (users, areLogsRequested)
  }
}

/// The pairing that the platform created for a pairing key.
public struct PlatformPairing: Sendable {
  /// The ID of the pairing at the platform.
  public let id: String
  public let user: User
  /// The ID of the user's environment.
  public let environment: String
  /// The authenticators that the platform created.
  public let authenticators: [PairedAuthenticator]
  /// The passcode secret, if there is one.
  public let oath: OATHSecret?
  /// True if the organization requires that the owner is asked for a nickname of the machine.
  public let wantsNickname: Bool

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
  /// The cursor of the next poll.
  public let cursor: String
  /// True if more pushes are waiting.
  public let hasMore: Bool
  /// True if the platform no longer knows the cursor; then all pending pushes must be fetched.
  public let isCursorUnknown: Bool

  public init(pushes: [String], cursor: String, hasMore: Bool, isCursorUnknown: Bool = false) {
    (self.pushes, self.cursor, self.hasMore) = (pushes, cursor, hasMore)
    self.isCursorUnknown = isCursorUnknown
  }
}

/// A claimed authentication code.
public struct PlatformCode: Sendable {
  /// The ID of the claim at the platform.
  public let requestID: String
  public let status: AuthenticationObject.Status
  /// The users that can authenticate with the code.
  public let users: [User]
  public let userApproval: String
  /// Additional information from the relying party.
  public let clientContext: JSON?
  /// Number of seconds from the claim of the code until its expiry.
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
  /// Parses a lock in the platform's format, with `policy` and `expiresAt`.
  public init?(platform json: JSON) {
    guard let policy = json["policy"]?.string else { return nil }
    let expiry = json["expiresAt"]?.string.flatMap { Timestamp(text: $0) }
    // An invalid `expiresAt` must not result in a lock without an end.
    guard json["expiresAt"] == nil || expiry != nil else { return nil }
    self.init(policy: DisplayText.clean(policy), expiresAt: expiry)
  }
}

extension User {
  /// Parses a user in either of PingOne's two formats; fails if the ID is not usable in a path.
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
