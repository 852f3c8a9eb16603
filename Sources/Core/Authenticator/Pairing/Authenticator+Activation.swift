internal import Configuration
internal import ControlAPI
internal import JSONRPC
internal import Journal
internal import OATH
internal import Time

extension Authenticator {
  /// Asks the platform to pair, stores what it set up, and proves the first passcode.
  ///
  /// Each step is on the disk before the next. The platform answers a key in the same way until the passcode is
  /// checked, and the check of a passcode too; so what is stored is not asked for again.
  func carryOut(_ record: PairingRecord) async throws -> PairingInfo {
    let (account, pairing, identity) = try await setUp(record)
    let authenticators = try await activate(pairing, account, identity)
    guard authenticators.contains(where: { $0.status == "COMPLETED" }) else {
      try store.deletePairing(record.id)
      throw RPCError.passcodeNotVerified
    }
    try store.transaction { _ in
      try store.activateAccount(account, of: record.owner, authenticators)
      try store.deletePairing(record.id)
    }
    Journal.info("paired", ["uid": record.owner, "geo": identity.geography])
    try publish(account, of: record.owner)
    startPolling(identity)
    return PairingInfo(
      account: account,
      user: pairing.user,
      authenticators: authenticators,
      wantsNickname: pairing.wantsNickname
    )
  }

  /// The account that an earlier attempt stored, else the one that the platform sets up now.
  private func setUp(
    _ record: PairingRecord
  ) async throws -> (account: String, pairing: PlatformPairing, identity: Identity) {
    guard var identity = try identity(record.identity) else {
      throw RPCError.notFound
    }
    if let known = try store.accounts(of: record.owner).first(where: { $0.id == record.account }) {
      return (
        known.id,
        PlatformPairing(
          id: known.platformPairing,
          user: known.user,
          environment: known.environment,
          authenticators: known.authenticators,
          oath: known.oath
        ),
        identity
      )
    }
    let pairing: PlatformPairing
    do { pairing = try await claim(record, identity) } catch PlatformError.elsewhere(let geography) {
      // The key belongs to another geography: this device introduces itself there, and it counts from now on.
      identity = try await trusted(geography, for: record.owner)
      try store.setPairingIdentity(record.id, identity)
      pairing = try await claim(record, identity)
    }
    let account = try Self.makeID()
    try store.transaction { _ in
      try store.insertAccount(account, identity: identity, pairing, at: time.now())
      try store.setPairingAccount(record.id, account)
    }
    passcodes = [:]
    return (account, pairing, identity)
  }

  private func claim(_ record: PairingRecord, _ identity: Identity) async throws -> PlatformPairing {
    try await registerPush(identity)
    return try await ask(identity) { try await $0.pair(identity, key: record.key) }
  }

  /// The authenticators with the outcome of the passcode's check.
  private func activate(
    _ pairing: PlatformPairing,
    _ account: String,
    _ identity: Identity
  ) async throws -> [PairedAuthenticator] {
    guard let oath = pairing.oath else { return pairing.authenticators }
    let totp = try TOTP(
      secret: oath.secret,
      algorithm: oath.algorithm,
      digits: oath.digits,
      period: oath.period
    )
    let passcode = try totp.passcode(window: totp.window(at: time.now()))
    let failure = try await ask(identity) {
      try await $0.checkPasscode(identity, pairing: pairing.id, passcode: passcode)
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
    case "UnSynchronizedClock": "the clock of this machine is not right"
    case "OneTimePasscodeExpired": "the time to pair is over"
    case "OneTimePasscodeRetriesExceeded": "the passcode was wrong too often"
    default: "the platform did not accept the passcode"
    }
  }
}
