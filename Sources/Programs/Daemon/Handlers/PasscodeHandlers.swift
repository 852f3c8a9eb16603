internal import Accounts
internal import ControlAPI

extension HandlerTable {
  static let passcodeHandlers: [Handler] = [
    .now(PasscodeGet.self) { service, method, call in
      try service.passcodes.passcode(of: method.account, next: method.wantsNext, owner: call.caller.uid)
    },
    .now(PasscodeImport.self) { service, method, call in
      try service.oath.enrol(method.uri, owner: call.caller.uid)
    },
  ]
}
