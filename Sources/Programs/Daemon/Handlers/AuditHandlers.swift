internal import Authenticator
internal import ControlAPI

extension HandlerTable {
  static let auditHandlers: [Handler] = [
    .now(AuditList.self) { service, method, call in
      let owner = call.caller.uid == 0 ? nil : call.caller.uid
      return AuditList.Answer(entries: try service.authenticator.auditEntries(of: owner, page: method.page))
    }
  ]
}
