internal import Accounts
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import Time
internal import Vault

extension HandlerTable {
  static let serviceHandlers: [Handler] = [
    .now(RPCDiscover.self) { _, _, call in
      Discovery.document(for: call.caller)
    },
    .now(ServiceStatus.self) { service, _, call in try service.report(for: call.caller.uid) },
    .asynchronous(ServiceDoctor.self) { service, _, call in
      try await service.examination(for: call.caller.uid)
    },
    .now(ServiceMetrics.self) { service, _, _ in try service.figures() },
    .now(EventSubscribe.self) { service, method, call in
      // Without a reply, the client would not learn the subscription ID, which it needs to match events and
      // to unsubscribe.
      guard call.isAnswered else { throw RPCError.invalidRequest }
      let hub = service.core.events
      return try call.connection.events.subscribe(owner: call.caller.uid, topics: method.topics, to: hub)
    },
    .now(EventUnsubscribe.self) { _, method, call in
      guard call.connection.events.unsubscribe(method.subscription) else {
        throw RPCError.noSuch("subscription")
      }
      return Nothing()
    },
  ]
}

extension HandlerTable {
  static let ownerHandlers: [Handler] = [
    .now(OwnerList.self) { service, _, _ in
      try service.core.owners.all().map { owner in
        Owner(
          uid: owner.uid,
          accounts: try service.accounts.activeCount(of: owner.uid),
          createdAt: owner.createdAt
        )
      }
    },
    .asynchronous(OwnerErase.self) { service, method, _ in
      try await service.core.owners.erase(method.uid)
      return Nothing()
    },
  ]
}

extension HandlerTable {
  static let auditHandlers: [Handler] = [
    .now(AuditList.self) { service, method, call in
      let owner = call.caller.uid == 0 ? nil : call.caller.uid
      return try service.core.audit.entries(of: owner, page: method.page)
    },
    .asynchronous(AuditVerify.self) { service, _, call in
      try await service.core.audit.verifier.verify(call.caller.uid == 0 ? nil : call.caller.uid)
    },
  ]
}

extension HandlerTable {
  static let backupHandlers: [Handler] = [
    .asynchronous(BackupCreate.self) { service, _, _ in try await service.backups.create() },
    .now(BackupList.self) { service, _, _ in service.backups.directory.all() },
  ]
}
