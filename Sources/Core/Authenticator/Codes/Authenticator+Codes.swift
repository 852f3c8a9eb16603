internal import Configuration
package import ControlAPI
package import Glibc
internal import JSONRPC
internal import Time

extension Authenticator {
  private static let longestList = 50

  /// Claims an authentication code: at the first of its owner's geographies, then where it is known.
  ///
  /// A code that needs no approval is done with its claim, unless the configuration wants to ask its owner.
  package func startAuthentication(_ input: String, owner: uid_t) async throws -> AuthenticationObject {
    let identities = try await pairedIdentities(of: owner)
    guard let code = AuthenticationCode(input) else { throw RPCError.authenticationCode }
    // Room is wanted before the code is claimed, which cannot be taken back.
    try takeRoom(of: owner)
    for identity in identities {
      do { return try await claim(code, at: identity) } catch PlatformError.refused(.authenticationCode) {
        continue
      }
    }
    throw RPCError.authenticationCode
  }

  /// The identities through which somebody is paired, that of the configured geography first.
  private func pairedIdentities(of owner: uid_t) async throws -> [Identity] {
    if try trustedIdentities(of: owner).isEmpty { _ = try await requireIdentity(of: owner) }
    let accounts = try store.accounts(of: owner).filter(\.isActive)
    let paired = try trustedIdentities(of: owner).filter { identity in
      accounts.contains { $0.identity == identity.id }
    }
    guard !paired.isEmpty else { throw RPCError.notPaired }
    return paired
  }

  private func claim(_ code: AuthenticationCode, at identity: Identity) async throws -> AuthenticationObject {
    let claimed = try await ask(identity) {
      try await $0.claim(identity, code: code.text, waitsForOwner: configuration.requiresApproval)
    }
    if let known = try store.code(request: claimed.requestID, identity: identity) { return object(known) }
    let record = CodeRecord(
      id: try Self.makeID(),
      owner: identity.owner,
      identity: identity.id,
      requestID: claimed.requestID,
      status: claimed.status,
      users: claimed.users,
      userApproval: claimed.userApproval,
      clientContext: claimed.clientContext,
      expiresAt: time.now().adding(seconds: claimed.lifetime),
      decision: nil
    )
    try store.insertCode(record, identity: identity)
    if record.status == .claimed { watch(record, for: .seconds(claimed.lifetime)) }
    announceCode(record.id, of: record.owner)
    return object(record)
  }

  /// The codes that were claimed, the newest first.
  package func authentications(of owner: uid_t) throws -> [AuthenticationObject] {
    try store.codes(of: owner, limit: Self.longestList).map(object)
  }

  /// Authenticates a user with a claimed code; the user may be left out when there is only one.
  package func approveAuthentication(
    _ id: String,
    user: String?,
    owner: uid_t
  ) async throws -> AuthenticationObject.Status {
    let record = try openCode(id, of: owner)
    guard let user = user ?? (record.users.count == 1 ? record.users.first?.id : nil) else {
      throw RPCError.invalidParameter("userId")
    }
    guard record.users.contains(where: { $0.id == user }) else { throw RPCError.invalidParameter("userId") }
    return try await decide(record, CodeDecision(isApproval: true, user: user))
  }

  /// Denies a claimed code.
  package func denyAuthentication(
    _ id: String,
    user: String?,
    owner: uid_t
  ) async throws -> AuthenticationObject.Status {
    let record = try openCode(id, of: owner)
    if let user, !record.users.contains(where: { $0.id == user }) {
      throw RPCError.invalidParameter("userId")
    }
    return try await decide(record, CodeDecision(isApproval: false, user: user))
  }

  private func openCode(_ id: String, of owner: uid_t) throws -> CodeRecord {
    guard let record = try store.code(id, of: owner) else { throw RPCError.notFound }
    switch standing(record) {
    case .claimed: return record
    case .expired: throw RPCError.expired
    case .completed, .denied: throw RPCError.alreadyAnswered(state: record.status.rawValue)
    }
  }

  /// Decides, which is on the disk before the platform hears of it, and hands the decision in.
  private func decide(
    _ record: CodeRecord,
    _ decision: CodeDecision
  ) async throws -> AuthenticationObject.Status {
    guard try store.decideCode(record.id, decision) else {
      throw RPCError.alreadyAnswered(state: AuthenticationObject.Status.claimed.rawValue)
    }
    return try await settle(record, decision)
  }

  /// Tells subscribers how a claimed code stands now.
  func announceCode(_ id: String, of owner: uid_t) {
    guard let record = try? store.code(id, of: owner) else { return }
    events.publish(.authentication, of: owner, object(record))
  }

  private func standing(_ record: CodeRecord) -> AuthenticationObject.Status {
    record.status == .claimed && isOver(record) ? .expired : record.status
  }

  private func object(_ record: CodeRecord) -> AuthenticationObject {
    AuthenticationObject(
      id: record.id,
      status: standing(record),
      users: record.users,
      userApproval: record.userApproval,
      clientContext: record.clientContext,
      expiresAt: record.expiresAt
    )
  }
}
