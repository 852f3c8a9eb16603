public import Accounts
public import Approvals
public import ControlAPI
internal import EventLoop
public import Glibc
public import JSON
public import OpenIDConnect
public import UserDevices
public import Vault

/// The components of the daemon that sign-ons use.
public struct SignOnParts: Sendable {
  let core: Core
  let passcodes: Passcodes
  let approvals: Approvals
  let enrolments: Enrolments
  let sessions: Sessions
  let boundKeys: BoundKeys
  let platform: PairingPlatform
  /// The providers that supply passcodes for a step, in order of preference.
  let passcodeSources: [any PasscodeSource]
  let tokenDevices: any UserDeviceService<TokenGrant>
  let sessionDevices: any UserDeviceService<SessionGrant>
  /// Returns the part of this machine's posture that servers may receive.
  let posture: @EventLoop () -> JSON

  public init(
    _ core: Core,
    passcodes: Passcodes,
    approvals: Approvals,
    enrolments: Enrolments,
    sessions: Sessions,
    boundKeys: BoundKeys,
    platform: PairingPlatform,
    passcodeSources: [any PasscodeSource],
    tokenDevices: any UserDeviceService<TokenGrant>,
    sessionDevices: any UserDeviceService<SessionGrant>,
    posture: @escaping @EventLoop () -> JSON
  ) {
    (self.core, self.passcodes, self.approvals, self.enrolments) = (core, passcodes, approvals, enrolments)
    (self.sessions, self.boundKeys, self.platform) = (sessions, boundKeys, platform)
    (self.tokenDevices, self.sessionDevices) = (tokenDevices, sessionDevices)
    (self.passcodeSources, self.posture) = (passcodeSources, posture)
  }
}

/// The platform operations that a sign-on needs in order to pair this machine or to use a pairing.
public struct PairingPlatform: Sendable {
  /// Returns the issuers from which the platform accepts an owner's tokens.
  let acceptedIssuers: @EventLoop (uid_t) async throws -> [String]
  /// Returns the signed `mobilePayload` of an authorization request with this PKCE challenge.
  let mobilePayload: @EventLoop (uid_t, _ audience: String, _ challenge: String) async throws -> String
  /// Pairs this machine, with the pairing key that a sign-on page contains.
  let pair: @EventLoop (_ key: String, uid_t) async throws -> PairingInfo
  /// Returns the pairing that an ID token offers, which the owner must then accept; `nil` without an offer.
  let pairingRequest: @EventLoop (IDToken, uid_t) async throws -> PairingRequest?
  /// Returns the active account of a user of the platform.
  let account: @EventLoop (_ user: String, uid_t) throws -> AccountRecord?
  /// Returns the user of an account; `nil` while the account is still being paired.
  let user: @EventLoop (_ account: String, uid_t) throws -> String?

  public init(
    acceptedIssuers: @escaping @EventLoop (uid_t) async throws -> [String],
    mobilePayload: @escaping @EventLoop (uid_t, String, String) async throws -> String,
    pair: @escaping @EventLoop (String, uid_t) async throws -> PairingInfo,
    pairingRequest: @escaping @EventLoop (IDToken, uid_t) async throws -> PairingRequest?,
    account: @escaping @EventLoop (String, uid_t) throws -> AccountRecord?,
    user: @escaping @EventLoop (String, uid_t) throws -> String?
  ) {
    (self.acceptedIssuers, self.mobilePayload) = (acceptedIssuers, mobilePayload)
    (self.pair, self.pairingRequest) = (pair, pairingRequest)
    (self.account, self.user) = (account, user)
  }
}
