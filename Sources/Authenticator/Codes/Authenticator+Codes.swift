internal import Configuration
package import ControlAPI
package import Glibc
internal import JSON
internal import JSONRPC
internal import Time

extension Authenticator {
  private static let longestList = 50

  /// Claims an authentication code.
  ///
  /// A code that needs no approval is done with its claim, unless the configuration wants to ask its owner.
  package func startAuthentication(_ input: String, owner: uid_t) async throws -> AuthenticationObject {
    let identity = try await requireIdentity(of: owner)
    guard try store.accounts(of: owner).contains(where: \.isActive) else { throw RPCError.notPaired }
    guard let code = AuthenticationCode(input) else { throw RPCError.authenticationCode }
    // Room is wanted before the code is claimed, which cannot be taken back.
    try takeRoom(of: owner)
    let claimed = try await ask(identity) {
      try await $0.claim(identity, code: code.text, waitsForOwner: configuration.requiresApproval)
    }
    if let known = try store.code(request: claimed.requestID, identity: identity) { return object(known) }
    let record = CodeRecord(
      id: try Self.makeID(),
      owner: owner,
      identity: identity.id,
      requestID: claimed.requestID,
      status: claimed.status,
      users: claimed.users,
      userApproval: claimed.userApproval,
      clientContext: claimed.clientContext,
      expiresAt: claimed.expiresAt
    )
    try store.insertCode(record, identity: identity)
    announceCode(record.id, of: owner)
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
    return try await decide(record, "approve", user: user)
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
    return try await decide(record, "deny", user: user)
  }

  private func openCode(_ id: String, of owner: uid_t) throws -> CodeRecord {
    guard let record = try store.code(id, of: owner) else { throw RPCError.notFound }
    switch object(record).status {
    case .claimed: return record
    case .expired: throw RPCError.expired
    case .completed, .denied: throw RPCError.alreadyAnswered(state: record.status.rawValue)
    }
  }

  /// The decision is on the disk before the platform hears of it; the same again is sent again.
  private func decide(
    _ record: CodeRecord,
    _ decision: String,
    user: String?
  ) async throws -> AuthenticationObject.Status {
    guard let identity = try identities().first(where: { $0.id == record.identity }) else {
      throw RPCError.notFound
    }
    guard try store.decideCode(record.id, decision, user: user) else {
      throw RPCError.alreadyAnswered(state: AuthenticationObject.Status.claimed.rawValue)
    }
    var claims: JSONObject = ["decision": .string(decision), "requestId": .string(record.requestID)]
    claims["userId"] = user.map { .string($0) }
    let outcome: String
    do {
      outcome = try await ask(identity) { [claims] in
        try await $0.answer(
          identity,
          code: record.requestID,
          decision: identity.signDecision(claims)
        )
      }
    } catch {
      if case PlatformError.refused = error { try store.withdrawCodeDecision(record.id) }
      throw error
    }
    // An answer that decides nothing leaves the decision as it is, to be handed in again.
    guard let status = AuthenticationObject.Status(rawValue: outcome), status != .claimed else {
      throw RPCError.serverError
    }
    _ = try store.endCode(record.id, status)
    announceCode(record.id, of: record.owner)
    guard status == .expired || (status == .completed) == (decision == "approve") else {
      throw RPCError.alreadyAnswered(state: status.rawValue)
    }
    return status
  }

  private func announceCode(_ id: String, of owner: uid_t) {
    guard let record = try? store.code(id, of: owner) else { return }
    events.publish(.authentication, of: owner, object(record).json)
  }

  private func object(_ record: CodeRecord) -> AuthenticationObject {
    let isOver = record.status == .claimed && time.now() >= record.expiresAt
    return AuthenticationObject(
      id: record.id,
      status: isOver ? .expired : record.status,
      users: record.users,
      userApproval: record.userApproval,
      clientContext: record.clientContext,
      expiresAt: record.expiresAt
    )
  }
}
