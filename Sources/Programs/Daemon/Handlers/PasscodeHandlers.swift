internal import Authenticator
internal import ControlAPI

extension HandlerTable {
  static let passcodeHandlers: [Handler] = [
    .now(PasscodeGet.self) { service, method, call in
      try service.authenticator.passcode(of: method.account, next: method.wantsNext, owner: call.caller.uid)
    }
  ]
}
