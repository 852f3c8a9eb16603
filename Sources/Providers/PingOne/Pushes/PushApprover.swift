public import Approvals
internal import ControlAPI
public import EventLoop
public import JSON
internal import JSONRPC
internal import Vault

/// Submits decisions on pushes to the device service, with the machine's report about itself.
@EventLoop
public final class PushApprover: Approver {
  private let devices: Devices
  private let accounts: PingOneAccounts
  private unowned let approvals: Approvals
  private let posture: @EventLoop () -> JSON

  public nonisolated var name: String { Pushes.approver }

  public init(
    devices: Devices,
    accounts: PingOneAccounts,
    approvals: Approvals,
    posture: @escaping @EventLoop () -> JSON
  ) {
    (self.devices, self.accounts, self.approvals, self.posture) = (devices, accounts, approvals, posture)
  }

  public func submit(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    var claims: JSONObject = ["notification": .string(request.foreignID)]
    claims["authenticationMethod"] = decision.method.map { .string($0) }
    claims["number"] = decision.number.map(JSON.int)
    claims["reason"] = decision.reason.map { .string($0) }
    // A silent push is not displayed, nor is any push of a locked owner.
    if request.kind != .silent, !decision.isBlind {
      claims["shown"] = .string(try ShownText.digest(of: request.content.shown))
    }
    return try await devices.handIn(request) { [claims, posture, approvals] in
      // Check before each attempt. The request may expire before a call is repeated after a key rotation.
      try approvals.checkTime(of: request)
      return try await $0.answer(
        $1,
        push: request.foreignID,
        decision: try $1.signed(decision, claims),
        posture: posture(),
        isUnasked: request.kind == .silent,
        isInTime: { !approvals.isOver(request) }
      )
    }
  }

  public func wasTakenBack(_ request: ApprovalRequest) throws -> Bool {
    guard let identity = try devices.identity(request.source),
      let account = try request.account.flatMap({ try accounts.account($0, of: request.owner) })
    else { return false }
    return try devices.core.vault.isCancelled(request.foreignID, user: account.user.id, identity: identity)
  }

  public func status(of request: ApprovalRequest) async throws -> RemoteStatus? {
    try await devices.handIn(request) { try await $0.status($1, push: request.foreignID) }
  }
}
