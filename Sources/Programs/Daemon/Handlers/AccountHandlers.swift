internal import Accounts
internal import ControlAPI

extension HandlerTable {
  static let accountHandlers: [Handler] = [
    .asynchronous(AccountEnrol.self) { service, method, call in
      try await service.accounts.enrolments.enrol(method.uri, owner: call.caller.uid)
    },
    .asynchronous(AccountImport.self) { service, method, call in
      try await service.accounts.importExport(method, owner: call.caller.uid)
    },
    .now(AccountList.self) { service, _, call in
      try service.accounts.list(of: call.caller.uid)
    },
    .asynchronous(AccountRename.self) { service, method, call in
      try await service.accounts.rename(
        method.account,
        to: method.nickname,
        owner: call.caller.uid
      )
    },
    .asynchronous(AccountRemove.self) { service, method, call in
      try await service.accounts.remove(
        method.account,
        localOnly: method.isLocalOnly,
        owner: call.caller.uid
      )
    },
  ]
}
