internal import Accounts
internal import ControlAPI
internal import PingOne

extension HandlerTable {
  static let authenticationHandlers: [Handler] = [
    .asynchronous(AuthenticationStart.self) { service, method, call in
      try await service.pingOne.codes.start(method.code, owner: call.caller.uid)
    },
    .now(AuthenticationList.self) { service, _, call in
      try service.pingOne.codes.list(of: call.caller.uid)
    },
    .asynchronous(AuthenticationApprove.self) { service, method, call in
      try await service.presence.verifying(method.presence, of: call.caller.uid) {
        .known(
          try await service.pingOne.codes.approve(
            method.authentication,
            user: method.userID,
            owner: call.caller.uid
          )
        )
      }
    },
    .asynchronous(AuthenticationDeny.self) { service, method, call in
      .known(
        try await service.pingOne.codes.deny(
          method.authentication,
          user: method.userID,
          owner: call.caller.uid
        )
      )
    },
  ]
}
