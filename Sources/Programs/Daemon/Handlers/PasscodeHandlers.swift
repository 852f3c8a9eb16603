internal import Accounts
internal import ControlAPI

extension HandlerTable {
  static let passcodeHandlers: [Handler] = [
    .later(PasscodeGet.self) { service, method, call in
      let owner = call.caller.uid
      return try await service.presence.verifying(method.presence, of: owner) {
        try service.presence.checkAlways(of: owner)
        return try service.passcodes.passcode(of: method.account, next: method.wantsNext, owner: owner)
      }
    },
    .now(PasscodeImport.self) { service, method, call in
      try service.oath.enrol(method.uri, owner: call.caller.uid)
    },
  ]
}
