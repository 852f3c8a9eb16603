internal import Accounts
internal import Approvals
internal import ControlAPI

extension HandlerTable {
  static let notificationHandlers: [Handler] = [
    .now(NotificationProcess.self) { service, method, call in
      try service.approvals.process(method.payload, owner: call.caller.uid)
    },
    .asynchronous(NotificationAct.self) { service, method, call in
      try await service.presence.verifying(method.presence, of: call.caller.uid) {
        try await service.approvals.act(
          method.action,
          on: method.payload,
          method: method.authenticationMethod,
          owner: call.caller.uid
        )
      }
    },
    .now(NotificationCategories.self) { _, _, _ in NotificationCategory.all },
    .now(NotificationList.self) { service, method, call in
      try service.approvals.notifications(of: call.caller.uid, state: method.state, page: method.page)
    },
    .now(NotificationGet.self) { service, method, call in
      NotificationResult(
        try service.approvals.notification(method.notification, of: call.caller.uid)
      )
    },
    .asynchronous(NotificationApprove.self) { service, method, call in
      try await service.presence.verifying(method.presence, of: call.caller.uid) {
        try await service.approvals.approve(
          method.notification,
          method: method.authenticationMethod,
          number: method.number,
          owner: call.caller.uid
        )
      }
    },
    .asynchronous(NotificationDeny.self) { service, method, call in
      try await service.approvals.deny(
        method.notification,
        reason: method.reason,
        owner: call.caller.uid
      )
    },
  ]
}
