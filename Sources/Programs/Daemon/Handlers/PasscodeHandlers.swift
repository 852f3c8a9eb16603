internal import Accounts
internal import ControlAPI
internal import EventLoop
internal import Glibc

extension HandlerTable {
  static let passcodeHandlers: [Handler] = [
    .either(PasscodeGet.self, waitingFor: "presence") { service, method, call in
      try service.passcode(method, of: call.caller.uid)
    } later: { service, method, call in
      let owner = call.caller.uid
      return try await service.presence.verifying(method.presence, of: owner) {
        try service.passcode(method, of: owner)
      }
    },
    .now(PasscodeImport.self) { service, method, call in
      try service.oath.enrol(method.uri, owner: call.caller.uid)
    },
  ]
}

extension Service {
  @EventLoop
  fileprivate func passcode(_ method: PasscodeGet, of owner: uid_t) throws -> Passcode {
    try presence.checkAlways(of: owner)
    return try passcodes.passcode(
      of: method.account,
      next: method.wantsNext,
      isConfirmed: method.isConfirmed,
      owner: owner
    )
  }
}
