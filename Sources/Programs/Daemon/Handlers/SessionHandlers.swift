internal import ControlAPI
internal import SignOn

extension HandlerTable {
  static let sessionHandlers: [Handler] = [
    .now(SessionList.self) { service, _, call in
      try service.sessions.list(of: call.caller.uid)
    },
    .later(SessionUserinfo.self) { service, method, call in
      try await service.signOn.userinfo(
        of: method.account,
        isFresh: method.isFresh,
        owner: call.caller.uid
      )
    },
    .later(SessionLogout.self) { service, method, call in
      try await service.signOn.logOut(ofAccount: method.account, owner: call.caller.uid)
      return Nothing()
    },
    .later(SessionEnd.self) { service, method, call in
      try await service.signOn.endSession(method.session, owner: call.caller.uid)
      return Nothing()
    },
  ]
}
