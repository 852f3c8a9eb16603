package import Approvals
internal import ControlAPI
package import EventLoop
internal import JSON

/// Hands decisions on authentication codes in at the device service, which has no way to ask where one stands.
@EventLoop
package final class CodeApprover: Approver {
  private let devices: Devices
  private unowned let approvals: Approvals

  package nonisolated var name: String { Codes.approver }

  package init(devices: Devices, approvals: Approvals) {
    (self.devices, self.approvals) = (devices, approvals)
  }

  package func submit(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
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
    // Nothing was decided, so that the same is handed in again.
    case .claimed: throw PlatformError.failed(.malformed)
    }
  }

  package func status(of request: ApprovalRequest) async throws -> Standing? { nil }
}
