internal import Accounts
public import Approvals
internal import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Settings
internal import Text
internal import Time
public import Vault

/// Authentication codes; the owner claims a code and then approves or denies it like a push.
@EventLoop
public final class Codes {
  private let core: Core
  private let devices: Devices
  private let paired: PingOneAccounts
  private let approvals: Approvals

  /// Number of seconds for which the request ID of a claimed code is remembered after the code expires.
  private static let memory = 86_400

  static nonisolated let approver = "pingone.code"

  public init(_ core: Core, devices: Devices, accounts: PingOneAccounts, approvals: Approvals) {
    (self.core, self.devices, paired, self.approvals) = (core, devices, accounts, approvals)
  }

  /// Claims an authentication code, trying the owner's geographies until one knows the code.
  ///
  /// If a code requires no approval, its claim completes it, unless the configuration requires approval.
  public func start(_ input: String, owner: uid_t) async throws -> AuthenticationObject {
    let identities = try await pairedIdentities(of: owner)
    guard let code = AuthenticationCode(input) else { throw RPCError.authenticationCode }
    // Reserve the quota first, because a claim cannot be reverted.
    try core.quota.reserve(of: owner)
    for identity in identities {
      do { return try await claim(code, at: identity) } catch PlatformError.refused(.authenticationCode) {
        continue
      }
    }
    throw RPCError.authenticationCode
  }

  /// Returns the identities with pairings; the identity of the configured geography is first.
  private func pairedIdentities(of owner: uid_t) async throws -> [Identity] {
    if try devices.trusted(of: owner).isEmpty { _ = try await devices.requireIdentity(of: owner) }
    let identities = try devices.trusted(of: owner).filter { try paired.isPaired($0) }
    guard !identities.isEmpty else { throw RPCError.notPaired }
    return identities
  }

  private func claim(_ code: AuthenticationCode, at identity: Identity) async throws -> AuthenticationObject {
    let claimed = try await devices.call(identity) { [settings = core.settings] in
      try await $0.claim($1, code: code.text, waitsForOwner: settings.current.requiresApproval)
    }
    // The owner may have been erased and have enrolled again during the request.
    guard try devices.identity(identity.id) != nil else { throw RPCError.noSuch("device") }
    let known = try approvals.request(
      approver: Self.approver,
      source: identity.id,
      foreignID: claimed.requestID
    )
    if let known { return try object(known) }
    var content = ApprovalRequest.Content()
    content.shown.clientContext = claimed.clientContext
    (content.users, content.userApproval) = (claimed.users, claimed.userApproval)
    let request = try ApprovalRequest(
      owner: identity.owner,
      approver: Self.approver,
      source: identity.id,
      foreignID: claimed.requestID,
      account: nil,
      kind: .code,
      state: Self.state(of: claimed.status),
      content: content,
      timeout: claimed.lifetime,
      receivedAt: core.time.now()
    )
    try approvals.insert(request, rememberedUntil: request.expiresAt.adding(seconds: Self.memory))
    return try object(request)
  }

  /// Returns the claimed codes, the newest first.
  public func list(of owner: uid_t) throws -> [AuthenticationObject] {
    try approvals.codes(of: owner).map(object)
  }

  /// Authenticates a user with a claimed code; `user` is optional if the code has only one user.
  public func approve(_ id: String, user: String?, owner: uid_t) async throws -> AuthenticationObject.Status {
    let request = try open(id, of: owner)
    let users = request.content.users
    guard let user = user ?? (users.count == 1 ? users.first?.id : nil),
      users.contains(where: { $0.id == user })
    else { throw RPCError.invalidParameter("userId") }
    let method = try approvals.presence.method(claiming: AuthenticationMethod.standard, of: owner)
    // Without a verified user presence, the decision states no authentication method.
    let verified = VerifiedPresence.of(owner) == nil ? nil : method
    return try await decide(
      request,
      Decision(isApproval: true, method: verified, user: user, at: core.time.now())
    )
  }

  public func deny(_ id: String, user: String?, owner: uid_t) async throws -> AuthenticationObject.Status {
    let request = try open(id, of: owner)
    if let user, !request.content.users.contains(where: { $0.id == user }) {
      throw RPCError.invalidParameter("userId")
    }
    return try await decide(request, Decision(isApproval: false, user: user, at: core.time.now()))
  }

  private func open(_ id: String, of owner: uid_t) throws -> ApprovalRequest {
    let request = try approvals.request(id, of: owner, sought: "authentication code")
    guard request.kind == .code else { throw RPCError.noSuch("authentication code") }
    switch status(of: request) {
    case .claimed: return request
    case .expired: throw RPCError.expired
    case .completed, .denied: throw RPCError.alreadyAnswered(state: status(of: request).rawValue)
    }
  }

  private func decide(
    _ request: ApprovalRequest,
    _ decision: Decision
  ) async throws -> AuthenticationObject.Status {
    if let made = request.decision, made.isApproval != decision.isApproval || made.user != decision.user {
      throw RPCError.alreadyAnswered(state: AuthenticationObject.Status.claimed.rawValue)
    }
    switch try await approvals.decide(request, decision) {
    case .accepted: return decision.isApproval ? .completed : .denied
    case .settled(.expired): return .expired
    case .settled(let standing):
      throw RPCError.alreadyAnswered(state: Self.status(of: standing).rawValue)
    case .locked(let lock): throw RPCError.accountLocked(lock)
    case .wrongNumber: throw RPCError.serverError
    }
  }

  // MARK: As the interface shows them

  public func object(_ request: ApprovalRequest) throws -> AuthenticationObject {
    let (content, isLocked) = (request.content, try core.vault.isLocked(request.owner))
    return AuthenticationObject(
      id: request.id,
      status: status(of: request),
      users: isLocked ? content.users.map(\.impersonal) : content.users,
      userApproval: content.userApproval ?? "REQUIRED",
      clientContext: isLocked ? nil : content.shown.clientContext,
      expiresAt: request.expiresAt
    )
  }

  private func status(of request: ApprovalRequest) -> AuthenticationObject.Status {
    switch approvals.state(of: request) {
    case .pending, .sending: .claimed
    case .approved: .completed
    case .denied: .denied
    case .expired, .cancelled: .expired
    }
  }

  private static func status(of standing: RemoteStatus) -> AuthenticationObject.Status {
    switch standing {
    case .pending: .claimed
    case .approved: .completed
    case .denied: .denied
    case .expired, .cancelled: .expired
    }
  }

  private static func state(of status: AuthenticationObject.Status) -> ApprovalRequest.State {
    switch status {
    case .claimed: .pending
    case .completed: .approved
    case .denied: .denied
    case .expired: .expired
    }
  }
}

/// An authentication code: eight characters of 0–9 and A–Z.
public struct AuthenticationCode: Sendable {
  /// The code in upper case.
  public let text: String

  private static let parameter = "authentication_code="

  /// Parses a code in upper or lower case, alone or in a URI with `authentication_code=`.
  ///
  /// Fails if the input contains no valid code.
  public init?(_ input: String) {
    var candidate = input.trimmed
    if let start = candidate.indices.first(where: { candidate[$0...].hasPrefix(Self.parameter) }) {
      let before = candidate[..<start].last
      guard before == "?" || before == "&" else { return nil }
      candidate = candidate[start...].dropFirst(Self.parameter.count).prefix { $0 != "&" && $0 != "#" }
    }
    // Accept only ASCII before `uppercased()`, which turns a sharp s into two letters.
    guard candidate.utf8.count == 8, candidate.allSatisfy(\.isASCII) else { return nil }
    text = candidate.uppercased()
    guard text.utf8.allSatisfy(PairingKey.isAllowed) else { return nil }
  }
}

/// Submits decisions on authentication codes to the device service, which cannot report the state of a code.
@EventLoop
public final class CodeApprover: Approver {
  private let devices: Devices
  private unowned let approvals: Approvals

  public nonisolated var name: String { Codes.approver }

  public init(devices: Devices, approvals: Approvals) {
    (self.devices, self.approvals) = (devices, approvals)
  }

  public func submit(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    var claims: JSONObject = ["requestId": .string(request.foreignID)]
    claims["authenticationMethod"] = decision.method.map { .string($0) }
    claims["userId"] = decision.user.map { .string($0) }
    let status = try await devices.handIn(request) { [claims, approvals] in
      try approvals.checkTime(of: request)
      return try await $0.answer(
        $1,
        code: request.foreignID,
        decision: try $1.signed(decision, claims),
        isInTime: { !approvals.isOver(request) }
      )
    }
    switch status {
    case .completed: return decision.isApproval ? .accepted() : .settled(.approved)
    case .denied: return decision.isApproval ? .settled(.denied) : .accepted()
    case .expired: return .settled(.expired)
    // The platform decided nothing, so the decision is submitted again.
    case .claimed: throw PlatformError.failed(.malformed)
    }
  }

  public func status(of request: ApprovalRequest) async throws -> RemoteStatus? { nil }
}
