internal import Accounts
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import JSONRPC
internal import Journal
internal import OATH
internal import Time
internal import Vault

extension Pairings {
  /// Requests the pairing from the platform, stores it, and sends the first passcode.
  ///
  /// The pairing is stored before the passcode is sent, and a resumed pairing continues after the stored
  /// step. If the response to a request is lost, mfad sends the request again, and the platform returns the
  /// same response. For a request with a pairing key, this is true only until the passcode check succeeds.
  func carryOut(_ record: PairingRecord) async throws -> PairingInfo {
    let (account, pairing, identity) = try await setUp(record)
    let authenticators = try await activate(pairing, account, identity)
    guard authenticators.contains(where: { $0.status == "COMPLETED" }) else {
      try delete(record)
      throw RPCError.passcodeNotVerified
    }
    try core.vault.write { _ in
      try paired.table.setAuthenticators(authenticators, of: account, owner: record.owner)
      try paired.accounts.activate(account, of: record.owner)
      try core.vault.deletePairing(record.id)
      core.vault.whenCommitted { [paired] in _ = try? paired.accounts.publish(account, of: record.owner) }
    }
    Journal.info("paired", ["uid": record.owner, "geo": identity.geography])
    poller.start(identity)
    return PairingInfo(
      account: account,
      user: pairing.user,
      authenticators: authenticators,
      wantsNickname: pairing.wantsNickname
    )
  }

  /// Returns the account that a previous attempt stored, or requests the pairing and stores a new account.
  private func setUp(
    _ record: PairingRecord
  ) async throws -> (account: String, pairing: PlatformPairing, identity: Identity) {
    guard var identity = try devices.identity(record.identity) else {
      throw RPCError.noSuch("device")
    }
    if let id = record.account, let known = try paired.account(id, of: record.owner) {
      return (
        id,
        PlatformPairing(
          id: known.platformPairing,
          user: known.user,
          environment: known.environment,
          authenticators: known.authenticators,
          oath: try passcodes.secret(of: known.account)
        ),
        identity
      )
    }
    let pairing: PlatformPairing
    do { pairing = try await claim(record, identity) } catch PlatformError.elsewhere(let geography) {
      // The key belongs to another geography. Establish trust there and use the identity of that geography.
      identity = try await devices.trusted(geography, for: record.owner)
      try core.vault.setPairingIdentity(record.id, identity)
      pairing = try await claim(record, identity)
    }
    let account = try store(pairing, of: record, identity)
    return (account, pairing, identity)
  }

  /// Stores a new pairing as an account that is not active yet.
  ///
  /// An earlier account of the same user stays active until the new account is activated.
  private func store(
    _ pairing: PlatformPairing,
    of record: PairingRecord,
    _ identity: Identity
  ) throws -> String {
    try core.vault.write { _ in
      let account = try paired.accounts.insert(
        kind: .pingOne,
        owner: record.owner,
        state: .activating,
        label: pairing.user.username ?? pairing.user.email ?? pairing.user.id,
        identityKey: [identity.id, pairing.environment, pairing.user.id]
      )
      try paired.table.insert(pairing, of: account, identity: identity)
      if let oath = pairing.oath { try passcodes.insert(oath, of: account) }
      try core.vault.setPairingAccount(record.id, account.id)
      return account.id
    }
  }

  private func claim(_ record: PairingRecord, _ identity: Identity) async throws -> PlatformPairing {
    try await channels.register(identity)
    return try await devices.call(identity) { try await $0.pair($1, key: record.key) }
  }

  /// Sends the first passcode, if there is a passcode secret; returns the authenticators with the result.
  private func activate(
    _ pairing: PlatformPairing,
    _ account: String,
    _ identity: Identity
  ) async throws -> [PairedAuthenticator] {
    guard let totp = pairing.oath?.totp else { return pairing.authenticators }
    let passcode = try totp.passcode(window: totp.window(at: core.time.now()))
    let failure = try await devices.call(identity) {
      try await $0.checkPasscode($1, pairing: pairing.id, passcode: passcode)
    }
    let outcome = PairedAuthenticator(
      type: "OTP",
      status: failure == nil ? "COMPLETED" : "FAILED",
      errorCode: failure,
      errorMessage: failure.map(Self.explanation)
    )
    return pairing.authenticators.filter { $0.type != "OTP" } + [outcome]
  }

  private static func explanation(_ code: String) -> String {
    switch code {
    case "UnSynchronizedClock": "the clock of this machine is wrong"
    case "OneTimePasscodeExpired": "the time for the pairing has expired"
    case "OneTimePasscodeRetriesExceeded": "the passcode was wrong too often"
    default: "the platform did not accept the passcode"
    }
  }
}
