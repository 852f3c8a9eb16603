internal import Accounts
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Journal
internal import OATH
internal import Time
internal import UserDevices
internal import Vault

extension TOTPDeviceRunner {
  /// Seconds that are subtracted from the time of a creation request.
  ///
  /// PingOne's `Date` header, from which the time is computed, has whole seconds. PingOne's timestamps of
  /// devices have milliseconds.
  private static let roundedSeconds = 2

  /// Makes this machine a passcode device of the user.
  ///
  /// The database commits each step before the next request.
  func addPasscodeDevice() async throws {
    // Add nothing if `settle` has completed the unfinished addition of a previous sign-on. Also add nothing
    // while an addition is unfinished, for instance because the user must first choose a device to remove.
    guard try work.outcome.added.isEmpty && own.allSatisfy({ $0.account.state != .activating }) else {
      return
    }
    guard try own.allSatisfy({ $0.account.state == .revoked }) else {
      throw RPCError.conflict.withMessage("this machine makes this user's passcodes already")
    }
    try accounts.accounts.checkRoom(of: grant.owner)
    let account = try begin()
    let made: NewDevice
    do { made = try await devices.create() } catch { throw try await resolve(account, after: error) }
    try await takeBackIfOver(account, device: made.id)
    try accounts.accounts.core.vault.write { _ in
      try accounts.table.setDevice(made.id, of: account)
      try accounts.passcodes.insert(made.secret, of: account)
      if let issuer = made.issuer { try accounts.accounts.setIssuer(issuer, of: account) }
    }
    try await activate(account, device: made.id)
  }

  /// Stores the pending creation and the existing devices, so that an unknown device can be recognized later.
  private func begin() throws -> AccountRecord {
    try accounts.accounts.core.vault.write { _ in
      let account = try accounts.accounts.insert(
        kind: .pingOneTOTP,
        owner: grant.owner,
        state: .activating,
        label: grant.user.username ?? grant.user.email ?? grant.user.id,
        identityKey: [grant.tenant.environment, grant.user.id]
      )
      try accounts.table.insert(
        grant.user,
        of: account,
        issuer: grant.issuer,
        environment: grant.tenant.environment,
        others: work.present.map(\.id),
        begunAt: devices.now.adding(seconds: -Self.roundedSeconds)
      )
      accounts.accounts.core.vault.whenCommitted { [accounts = accounts.accounts] in
        _ = try? accounts.publish(account.id, of: account.owner)
      }
      return account
    }
  }

  /// Undoes a failed creation as far as possible and returns the error to throw.
  private func resolve(_ account: AccountRecord, after error: any Error) async throws -> any Error {
    if let unusable = error as? UnusableDevice {
      try await devices.delete(unusable.id)
      try accounts.accounts.discard(account.id, of: grant.owner)
      return RPCError.serverError.withCause(.malformed)
    }
    // Without a response, or after a server error, PingOne may have created an unknown device.
    let error = RPCError(naming: error)
    guard error.leavesDoubt else {
      try accounts.accounts.discard(account.id, of: grant.owner)
      return error
    }
    work.present = try await devices.list()
    // A device that is not listed yet may appear later.
    await settle(keepingUnknown: true)
    let remains = try accounts.accounts.record(account.id, of: grant.owner) != nil
    return remains ? error.leavingUnfinishedAccount : error
  }

  /// Removes a new device if the sign-on has ended or the account was removed meanwhile.
  private func takeBackIfOver(_ account: AccountRecord, device: String) async throws {
    let isThere = try accounts.accounts.record(account.id, of: grant.owner) != nil
    do {
      guard isThere else { throw RPCError.expired }
      try devices.checkCurrent()
    } catch {
      try await devices.delete(device)
      try accounts.accounts.discard(account.id, of: grant.owner)
      throw error
    }
  }

  /// Activates the device with a passcode and then the account.
  func activate(_ account: AccountRecord, device: String) async throws {
    do { try await prove(account, device: device) } catch let error as RPCError where error.isFinal {
      try await devices.delete(device)
      try accounts.accounts.discard(account.id, of: grant.owner)
      throw devices.isClockWrong ? .clockWrong(devices.clockOffset) : error
    } catch let error as RPCError { throw error.leavingUnfinishedAccount }
    try await takeBackIfOver(account, device: device)
    try await comeIntoForce(account)
  }

  /// Activates the account of an active device.
  func comeIntoForce(_ account: AccountRecord) async throws {
    try accounts.accounts.activate(account.id, of: grant.owner)
    guard let shown = try accounts.accounts.publish(account.id, of: grant.owner) else {
      throw RPCError.noSuch("account")
    }
    try await accounts.accounts.core.vault.committed()
    Journal.info("this machine is an authenticator of a user at PingOne", ["uid": grant.owner])
    work.outcome.added.append(shown)
  }

  /// Submits a passcode; if the response is lost, the status of the device tells whether it was accepted.
  private func prove(_ account: AccountRecord, device: String) async throws {
    let window = try await handIn(account, device)
    guard let window else { return }
    let totp = try generator(account)
    // Try once more if the passcode may have expired in transit.
    guard totp.window(at: time.now()) != window, try await handIn(account, device) == nil else {
      throw RPCError.passcodeNotVerified
    }
  }

  /// Returns the window of a refused passcode, or `nil` if PingOne accepted it.
  private func handIn(_ account: AccountRecord, _ device: String) async throws -> Int? {
    let totp = try generator(account)
    let window = totp.window(at: time.now())
    do { try await devices.activate(device, passcode: try totp.passcode(window: window)) } catch let error
      as RPCError
    {
      if error.code == RPCError.passcodeNotVerified.code { return window }
      guard try await devices.device(device)?.isActive == true else { throw error }
    }
    return nil
  }

  private func generator(_ account: AccountRecord) throws -> TOTP {
    guard let totp = try accounts.passcodes.secret(of: account)?.totp else {
      throw RPCError.noSuch("account")
    }
    return totp
  }
}

extension RPCError {
  /// The error, with the state that the addition leaves and the next step in its message.
  fileprivate var leavingUnfinishedAccount: RPCError {
    withMessage("\(message); the new account stays \"activating\" until the same command completes it")
  }

  /// True if the device will not become active: the passcode is wrong, or PingOne refuses the device.
  fileprivate var isFinal: Bool {
    code == RPCError.passcodeNotVerified.code || (400..<500).contains(details["status"]?.int ?? 0)
  }

  /// True if PingOne may have processed a failed request: it neither refused the request nor was unreachable.
  fileprivate var leavesDoubt: Bool {
    let unsent: [ErrorCause] = [.dns, .refused, .tls, .notAllowed]
    if code == RPCError.noConnectivity.code { return !unsent.contains { $0.rawValue == cause } }
    return code == RPCError.serverError.code && !(400..<500).contains(details["status"]?.int ?? 0)
  }
}
