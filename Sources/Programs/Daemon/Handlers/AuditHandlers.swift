internal import ControlAPI
internal import Vault

extension HandlerTable {
  static let auditHandlers: [Handler] = [
    .now(AuditList.self) { service, method, call in
      let owner = call.caller.uid == 0 ? nil : call.caller.uid
      return try service.audit.entries(of: owner, page: method.page)
    },
    .later(AuditVerify.self) { service, _, call in
      try await service.audit.verifier.verify(call.caller.uid == 0 ? nil : call.caller.uid)
    },
  ]
}
