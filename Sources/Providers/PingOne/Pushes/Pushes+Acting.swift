internal import Approvals
package import ControlAPI
package import Glibc
package import JSON
internal import JSONRPC

extension Pushes {
  /// Takes a push as a transport delivered it and does what its owner chose from its buttons.
  ///
  /// Only what asks for a sign-on is answered; the same choice again gives the same.
  package func act(
    _ action: NotificationAction,
    on payload: JSON,
    method: String,
    owner: uid_t
  ) async throws -> NotificationObject? {
    guard let push = try process(payload, owner: owner) else { return nil }
    switch push.kind {
    case _ where action == .open: return push
    case .known(.authentication): break
    case .known(.cancelled): throw RPCError.cancelled
    case .known(.done), .known(.test), .unknown: return push
    }
    let isApproval = action == .approve
    // What was chosen here may have been settled otherwise elsewhere.
    let chosen: NotificationObject.State = isApproval ? .approved : .denied
    if push.state == chosen, push.answer?.decision == (isApproval ? "approve" : "deny") { return push }
    return isApproval
      ? try await approvals.approve(push.id, method: method, number: nil, owner: owner).notification
      : try await approvals.deny(push.id, reason: "NONE", owner: owner).notification
  }
}
