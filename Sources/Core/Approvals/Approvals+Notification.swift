internal import ControlAPI
internal import Vault

extension Approvals {
  /// A push as the interface shows it.
  func notification(_ request: ApprovalRequest) throws -> NotificationObject {
    let answer = request.decision.map {
      NotificationObject.Answer(
        decision: $0.name,
        authenticationMethod: $0.isApproval ? $0.method : nil,
        reason: $0.isApproval ? nil : $0.reason,
        at: $0.at
      )
    }
    return try NotificationObject(
      id: request.id,
      account: request.account ?? "",
      kind: .known(request.state == .cancelled ? .cancelled : request.kind.shown),
      state: .known(request.isOpen && isOver(request) ? .expired : request.state),
      content: vault.isLocked(request.owner) ? NotificationObject.Content() : request.content.shown,
      timeoutDuration: request.timeout,
      receivedAt: request.receivedAt,
      expiresAt: request.expiresAt,
      answer: answer
    )
  }
}

extension ApprovalRequest.Kind {
  fileprivate var shown: NotificationObject.Kind {
    switch self {
    case .authentication, .code: .authentication
    case .silent: .done
    case .test: .test
    }
  }
}
