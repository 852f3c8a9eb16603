internal import AMEnrolments
internal import Accounts
internal import Configuration
internal import ControlAPI
internal import CourierProtocol
public import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import OATH
internal import OATHExports
internal import Settings
internal import Text
internal import Vault
internal import WebAddress

/// Enrols this machine at PingAM servers.
///
/// All local checks precede the first request to the server. The account is then stored, registered at the
/// server, and activated after the server has accepted it. The challenge, the ID and the cookie of the
/// registration are never stored.
@EventLoop
public final class AMEnroller {
  let accounts: AMAccounts
  private let server: AMServer
  private let device: AMDevice
  let refresh: AMTokenRefresh
  /// Accounts with a registration in flight.
  private var underWay: Set<String> = []

  public init(
    accounts: AMAccounts,
    server: AMServer,
    device: AMDevice,
    refresh: AMTokenRefresh
  ) {
    (self.accounts, self.server, self.device) = (accounts, server, device)
    self.refresh = refresh
    for scheme in [KeyURI.Scheme.pushauth, .mfauth] {
      accounts.accounts.enrolments.register(scheme) { [unowned self] in try await enrol($0, owner: $1) }
    }
    accounts.accounts.imports.register(.push) { [unowned self] credential, context in
      guard case .push(let record) = credential else { return .unsupported }
      return try take(record, owner: context.owner)
    }
  }

  /// Discards, after a start, the registrations that a previous run did not complete.
  public func resume() throws { try accounts.discardBrokenOff(except: underWay) }

  private func enrol(_ uri: KeyURI, owner: uid_t) async throws -> Account {
    let (enrolment, oath) = try read(uri)
    let credential = AMPushCredential(enrolment, mechanism: try OpaqueID.makeUUID())
    try check(enrolment, credential, owner: owner)
    let account = try accounts.core.vault.write { _ in
      let account = try accounts.insert(credential, state: .activating, owner: owner)
      if let oath { try accounts.passcodes.insert(OATHSecret(oath), of: account) }
      return account
    }
    underWay.insert(account.id)
    defer { underWay.remove(account.id) }
    let address = try device.token(owner)
    do { try await register(enrolment, credential.mechanism, owner: owner) } catch {
      try accounts.accounts.discard(account.id, of: owner)
      guard case .unknown(let cause)? = error as? AMServerError else { throw error }
      accounts.warnOfLeftover(of: owner)
      throw cause.withMessage(
        "\(cause.message); if the server lists this machine now, remove that device there first"
      )
    }
    let shown = try activate(account)
    // If the push address changed during the registration, send the new address.
    if try device.token(owner) != address { try refresh.addressChanged(of: owner) }
    return shown
  }

  private func read(_ uri: KeyURI) throws -> (AMEnrolment, OATHCredential?) {
    do {
      let enrolment = try AMEnrolment(uri)
      return (enrolment, try enrolment.oath.map { try OATHCredential($0) })
    } catch let error as OATHError { throw RPCError.invalidParameter("uri").withMessage(error.description) }
  }

  /// Makes the checks that need no request to the server.
  private func check(_ enrolment: AMEnrolment, _ credential: AMPushCredential, owner: uid_t) throws {
    guard accounts.core.settings.current.enrolmentOrigins.contains(enrolment.push.register.origin) else {
      throw RPCError.originRefused
        .withMessage(
          "enrolments of this server are not allowed: add its origin to am_origin in the configuration"
        )
        .with(["key": "am_origin"])
    }
    if let unmet = enrolment.policies.firstUnmet(by: accounts.facts()) {
      throw RPCError.policyRefuses.with(["policy": .string(unmet.rawValue)])
    }
    guard try accounts.inForce(credential, of: owner) == nil, try !hasPasscodes(enrolment, owner: owner)
    else {
      throw RPCError.conflict
    }
    try accounts.accounts.checkRoom(of: owner)
  }

  /// True if the enrolment includes passcodes and a passcode-only account has the same issuer and name.
  private func hasPasscodes(_ enrolment: AMEnrolment, owner: uid_t) throws -> Bool {
    guard enrolment.oath != nil else { return false }
    let names = (DisplayText.clean(enrolment.issuer), DisplayText.clean(enrolment.account))
    return try accounts.accounts.records(of: owner).contains {
      $0.kind == .oath && $0.isActive && ($0.issuer ?? "", $0.label) == names
    }
  }

  private func register(_ enrolment: AMEnrolment, _ mechanism: String, owner: uid_t) async throws {
    let push = enrolment.push
    var claims = try device.claims(mechanism, of: owner)
    claims["response"] = .string(try AMProof.response(to: push.challenge, by: push.secret))
    let message: JSONObject = [
      "messageId": .string(push.messageID), "jwt": try AMProof.token(claims, by: push.secret),
    ]
    do {
      try await server.post(message, to: push.register, cookie: push.cookie, priority: .init(of: owner))
    } catch {
      guard case .refused(status: 400, _) = error else { throw error }
      // The code is unknown, used or expired; the server does not distinguish these cases.
      throw RPCError.tokenRejected
        .withMessage(
          "the server refused this enrolment: it is valid once and for a short time, ask for a new one"
        )
    }
  }

  private func activate(_ account: AccountRecord) throws -> Account {
    let all = accounts.accounts
    try accounts.core.vault.write { _ in
      try all.activate(account.id, of: account.owner)
      accounts.core.vault.whenCommitted { _ = try? all.publish(account.id, of: account.owner) }
    }
    Journal.info("enrolled at a server", ["uid": account.owner])
    guard let record = try all.record(account.id, of: account.owner), let shown = try all.shown(record)
    else {
      throw RPCError.notConfigured
    }
    return shown
  }
}

extension AMEnroller {
  /// Imports an account that another authenticator enrolled.
  ///
  /// The account keeps its mechanism ID. The push address of this machine, if it has one, is sent to the
  /// server.
  func take(_ record: PushRecord, owner: uid_t) throws -> Imports.Outcome {
    let credential: AMPushCredential
    do throws(OATHError) { credential = try AMPushCredential(record) } catch {
      return .skipped(error)
    }
    let all = accounts.accounts
    if let id = try accounts.table.account(withMechanism: credential.mechanism, of: owner) {
      return .exists(try all.record(id, of: owner))
    }
    if let known = try accounts.inForce(credential, of: owner) { return .exists(known) }
    let origin = credential.authenticate.origin
    guard accounts.core.settings.current.enrolmentOrigins.contains(origin) else {
      return .skipped(.originRefused, "am_origin in the configuration does not contain \(origin.text)")
    }
    guard try all.hasRoom(for: owner) else { return .noRoom }
    let account = try accounts.insert(credential, state: .active, owner: owner)
    try refresh.tookOver(account)
    if let taken = try accounts.table.account(account) {
      try all.setLock(accounts.lock(of: taken), on: account.id, of: owner)
    }
    accounts.core.vault.whenCommitted {
      _ = try? all.publish(account.id, of: owner)
      Journal.info("imported an account from another authenticator", ["uid": owner])
    }
    return .made(account)
  }
}
