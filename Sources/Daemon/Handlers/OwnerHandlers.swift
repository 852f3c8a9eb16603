internal import Authenticator
internal import ControlAPI

extension HandlerTable {
  static let ownerHandlers: [Handler] = [
    .now(OwnerList.self) { service, _, _ in
      OwnerList.Answer(owners: try service.authenticator.owners())
    },
    .now(OwnerErase.self) { service, method, _ in
      try service.authenticator.erase(owner: method.uid)
      return Nothing()
    },
    .now(AuditList.self) { service, method, call in
      let owner = call.caller.uid == 0 ? nil : call.caller.uid
      return AuditList.Answer(entries: try service.authenticator.auditEntries(of: owner, page: method.page))
    },
  ]
}
