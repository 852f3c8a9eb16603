package import ControlAPI
package import Glibc
package import JSON
internal import JSONRPC
internal import Time

extension Authenticator {
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
    guard action != .open else { return push }
    switch push.kind {
    case .known(.authentication): break
    case .known(.cancelled): throw RPCError.cancelled
    case .known(.done), .known(.test), .unknown: return push
    }
    let decision = Decision(
      isApproval: action == .approve,
      method: action == .approve ? method : nil,
      number: nil,
      reason: action == .approve ? nil : "NONE",
      at: time.now()
    )
    // What was chosen here may have been settled otherwise elsewhere.
    let chosen: NotificationObject.State = decision.isApproval ? .approved : .denied
    if push.state == chosen, push.answer?.decision == decision.name { return push }
    return try await answer(push.id, decision, owner: owner).notification
  }
}
