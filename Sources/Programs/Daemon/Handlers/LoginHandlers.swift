internal import Accounts
internal import ControlAPI
internal import SignOn

extension HandlerTable {
  static let loginHandlers: [Handler] = [
    .asynchronous(LoginStart.self) { service, method, call in
      try await service.signOn.start(method, owner: call.caller.uid)
    },
    .asynchronous(LoginNext.self) { service, method, call in
      try await service.presence.verifying(method.presence, of: call.caller.uid) {
        try await service.signOn.next(method, owner: call.caller.uid)
      }
    },
    .asynchronous(LoginResume.self) { service, method, call in
      try await service.signOn.resume(method, owner: call.caller.uid)
    },
    .now(LoginCancel.self) { service, method, call in
      try service.signOn.cancel(method.login, owner: call.caller.uid)
      return Nothing()
    },
  ]
}

extension HandlerTable {
  static let sessionHandlers: [Handler] = [
    .now(SessionList.self) { service, _, call in
      try service.sessions.shown(to: call.caller.uid)
    },
    .asynchronous(SessionUserinfo.self) { service, method, call in
      try await service.signOn.userinfo(
        of: method.account,
        isFresh: method.isFresh,
        owner: call.caller.uid
      )
    },
    .asynchronous(SessionLogout.self) { service, method, call in
      try await service.signOn.logOut(ofAccount: method.account, owner: call.caller.uid)
      return Nothing()
    },
    .asynchronous(SessionEnd.self) { service, method, call in
      try await service.signOn.endSession(method.session, owner: call.caller.uid)
      return Nothing()
    },
  ]
}
