internal import Authenticator
internal import ControlAPI

extension HandlerTable {
  static let accountHandlers: [Handler] = [
    .now(AccountList.self) { service, _, call in
      AccountList.Answer(accounts: try service.authenticator.accounts(of: call.caller.uid))
    },
    .later(AccountRename.self) { service, method, call in
      try await service.authenticator.renameAccount(
        method.account,
        to: method.nickname,
        owner: call.caller.uid
      )
    },
    .later(AccountRemove.self) { service, method, call in
      AccountRemove.Answer(
        remainsOnServer: try await service.authenticator.removeAccount(
          method.account,
          localOnly: method.isLocalOnly,
          owner: call.caller.uid
        )
      )
    },
  ]
}
