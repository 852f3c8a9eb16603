package import Configuration
package import ControlAPI
package import EventLoop
package import JOSE
package import JSON
package import JSONRPC
package import OpenSSL

/// What the daemon asks of the service that it is paired with: the seam behind which a wire protocol lives.
@EventLoop
package protocol Platform: AnyObject {
  /// The keys that a platform has now, vouched for by one that is held.
  func keys(of record: PlatformRecord) async throws(PlatformError) -> PlatformKeys
  /// Introduces an identity; harmless when repeated.
  func trust(_ identity: Identity) async throws(PlatformError) -> PlatformTrust
  /// Says how pushes come to a device; returns whether they can.
  func setPushChannel(_ identity: Identity, _ channel: PushChannel, token: String?)
    async throws(PlatformError)
    -> Bool
  /// What the platform knows of a device, and what it wants of it.
  func info(_ identity: Identity) async throws(PlatformError) -> PlatformInfo
  /// Asks for a push that only shows that pushes arrive, and returns its id.
  func testPush(_ identity: Identity) async throws(PlatformError) -> String
  /// Hands in a report for the organization's support, which finds it by the id that is returned.
  func sendLogs(_ identity: Identity, _ report: LogReport) async throws(PlatformError) -> String
  /// Claims a pairing key; the same key again gives the same answer until its passcode is checked.
  func pair(_ identity: Identity, key: String) async throws(PlatformError) -> PlatformPairing
  /// Checks a passcode of a new pairing; `nil` when it was right, else the documented error code.
  func checkPasscode(_ identity: Identity, pairing: String, passcode: String) async throws(PlatformError)
    -> String?
  /// Waits for pushes up to so many seconds.
  func pushes(_ identity: Identity, after cursor: String?, wait: Int) async throws(PlatformError) -> PushBatch
  /// Where a push stands on the platform's side.
  func status(_ identity: Identity, push: String) async throws(PlatformError) -> PushStatus
  /// Hands in a decision, signed by the answer key, with what the machine says of itself.
  func answer(_ identity: Identity, push: String, decision: String, posture: JSON) async throws(PlatformError)
    -> AnswerOutcome
  /// Claims an authentication code, asking the platform to wait for the owner if that is wanted.
  func claim(_ identity: Identity, code: String, waitsForOwner: Bool) async throws(PlatformError)
    -> PlatformCode
  /// Tells the name that its owner gave an account.
  func setNickname(_ identity: Identity, user: String, _ nickname: String) async throws(PlatformError)
  /// Ends the pairing with a user; one that is not there any more is as good.
  func unpair(_ identity: Identity, user: String) async throws(PlatformError)
  /// Hands in new keys, which count from the first proof by them; harmless when repeated.
  func rotateKeys(_ identity: Identity, to next: IdentityKeys, provenBy keys: IdentityKeys)
    async throws(PlatformError)
  /// Hands in the decision on a claimed code and returns how it ended.
  func answer(_ identity: Identity, code: String, decision: String) async throws(PlatformError)
    -> AuthenticationObject.Status
}

/// Why the platform did not do what it was asked.
package enum PlatformError: Error, Sendable, Equatable {
  /// No answer came; nothing is known of what happened there.
  case unreachable
  /// What came was signed by a key that is not held of the platform; it may have a new one.
  case unknownKey
  /// What came was no authenticated answer, or said that the platform failed.
  case failed
  /// The platform understood and refused, in the terms of the interface.
  case refused(RPCError)
  /// A pairing key belongs to the platform of another geography.
  case elsewhere(Geography)
  /// The platform does not know this device any more.
  case deviceUnknown

  /// The error that a caller hears.
  package var rpcError: RPCError {
    switch self {
    case .unreachable: .noConnectivity
    case .failed, .unknownKey: .serverError
    case .refused(let error): error
    case .elsewhere: .pairingKey
    case .deviceUnknown: .notPaired
    }
  }
}

/// The keys of a platform.
package struct PlatformKeys: Sendable {
  package let keys: [JWK]
  /// The version of the set, which never goes down.
  package let version: Int

  /// Keys that were verified.
  package init(keys: [JWK], version: Int) { (self.keys, self.version) = (keys, version) }
}

/// What the platform says to a new identity.
package struct PlatformTrust: Sendable {
  /// The id that it gives the device.
  package let deviceID: String
  package let keys: [JWK]
  /// The version of its keys.
  package let keysVersion: Int
  /// The issuers of ID tokens that belong to it.
  package let issuers: [String]

  package init(deviceID: String, keys: [JWK], keysVersion: Int, issuers: [String]) {
    (self.deviceID, self.keys, self.keysVersion, self.issuers) = (deviceID, keys, keysVersion, issuers)
  }
}

/// What a platform knows of a device.
package struct PlatformInfo: Sendable {
  /// Who is paired on it.
  package let users: [DeviceRecord]
  /// Whether an administrator waits for its logs.
  package let areLogsRequested: Bool

  /// What a platform knows.
  package init(users: [DeviceRecord], areLogsRequested: Bool) {
    (self.users, self.areLogsRequested) = (users, areLogsRequested)
  }
}

/// What the platform set up for a pairing key.
package struct PlatformPairing: Sendable {
  /// The secret of a passcode and how it is used.
  package struct OATH: Sendable {
    package let secret: Secret
    package let algorithm: HashAlgorithm
    /// How many digits, 6 to 8.
    package let digits: Int
    /// The length of a window in seconds.
    package let period: Int

    /// A secret and how it is used.
    package init(secret: Secret, algorithm: HashAlgorithm, digits: Int, period: Int) {
      (self.secret, self.algorithm, self.digits, self.period) = (secret, algorithm, digits, period)
    }
  }

  /// Its id on the platform.
  package let id: String
  package let user: User
  /// The id of their environment.
  package let environment: String
  /// What was set up.
  package let authenticators: [PairedAuthenticator]
  /// The passcode's secret, if there is one.
  package let oath: OATH?
  /// Whether the organization wants its owner to be asked what the machine is called.
  package let wantsNickname: Bool

  /// What was set up.
  package init(
    id: String,
    user: User,
    environment: String,
    authenticators: [PairedAuthenticator],
    oath: OATH?,
    wantsNickname: Bool = false
  ) {
    (self.id, self.user, self.environment) = (id, user, environment)
    (self.authenticators, self.oath, self.wantsNickname) = (authenticators, oath, wantsNickname)
  }
}

/// Pushes that were fetched together.
package struct PushBatch: Sendable {
  /// The pushes as compact JWSs.
  package let pushes: [String]
  /// Where to go on.
  package let cursor: String
  /// Whether more are waiting.
  package let hasMore: Bool
  /// Whether the platform forgot the cursor, so that everything outstanding has to be asked for.
  package let isCursorUnknown: Bool

  /// Pushes and where to go on.
  package init(pushes: [String], cursor: String, hasMore: Bool, isCursorUnknown: Bool = false) {
    (self.pushes, self.cursor, self.hasMore) = (pushes, cursor, hasMore)
    self.isCursorUnknown = isCursorUnknown
  }
}

/// Where a push stands on the platform's side.
package enum PushStatus: String, Sendable {
  case pending, approved, denied, expired, cancelled
}

/// What became of a decision.
package enum AnswerOutcome: Sendable {
  /// It counts, with what the platform wants confirmed, and with the lock if this answer closed the account.
  case accepted(confirmationInfo: JSON?, lock: AccountLock? = nil)
  /// It does not count, because the account is closed.
  case locked(AccountLock)
  /// The push was settled otherwise before.
  case settled(PushStatus)
  /// The number was wrong; 0 tries left means that the push is denied.
  case wrongNumber(triesLeft: Int, lock: AccountLock? = nil)
}

/// An authentication code that was claimed.
package struct PlatformCode: Sendable {
  /// Its id on the platform.
  package let requestID: String
  package let status: AuthenticationObject.Status
  /// Who can authenticate with it.
  package let users: [User]
  package let userApproval: String
  /// What the relying party added.
  package let clientContext: JSON?
  /// The seconds in which it can be decided on, from its claim.
  package let lifetime: Int

  package init(
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
