internal import Accounts
internal import ControlAPI
internal import Vault

extension HandlerTable {
  static let lockHandlers: [Handler] = [
    .asynchronous(PresenceSet.self) { service, method, call in
      try await service.presence.verifying(method.presence, of: call.caller.uid) {
        try service.presence.require(method.requirement, of: call.caller.uid)
      }
    },
    .asynchronous(LockSet.self) { service, method, call in
      try service.presence.checkFirstPIN(of: call.caller.uid)
      try await service.lock.set(method.pin, current: method.current, owner: call.caller.uid)
      return Nothing()
    },
    .asynchronous(LockClear.self) { service, method, call in
      try service.presence.checkClearing(of: call.caller.uid)
      try await service.lock.clear(current: method.current, owner: call.caller.uid)
      return Nothing()
    },
    .asynchronous(LockUnlock.self) { service, method, call in
      try await service.lock.unlock(method.pin, seconds: method.seconds, owner: call.caller.uid)
    },
    .now(LockNow.self) { service, _, call in
      try service.lock.lock(call.caller.uid)
      return Nothing()
    },
  ]
}
