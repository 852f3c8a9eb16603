internal import Accounts
internal import Approvals
internal import ControlAPI
internal import PingOne
internal import Vault

extension HandlerTable {
  static let deviceHandlers: [Handler] = [
    .asynchronous(DeviceConfigure.self) { service, method, call in
      let identity = try await service.pingOne.devices.configure(method.geography, for: call.caller.uid)
      return DeviceConfigure.Result(geography: identity.geography, deviceID: identity.deviceID ?? "")
    },
    .asynchronous(DeviceRemoveLocalData.self) { service, _, call in
      let owner = call.caller.uid
      let (accounts, pushes) = (
        try service.accounts.activeCount(of: owner), try service.approvals.pushCount(of: owner)
      )
      try await service.core.owners.erase(owner)
      return DeviceRemoveLocalData.Removed(accounts: accounts, notifications: pushes)
    },
    .asynchronous(DeviceRotateKeys.self) { service, _, call in
      try await service.pingOne.devices.rotateKeys(of: call.caller.uid)
    },
    .asynchronous(DeviceInfo.self) { service, _, call in
      try await service.pingOne.reports.report(of: call.caller.uid)
    },
    .asynchronous(DeviceSetPushToken.self) { service, method, call in
      try await service.pingOne.channels.setToken(method, owner: call.caller.uid)
    },
    .asynchronous(DeviceSetPushAllowed.self) { service, method, call in
      try await service.pingOne.channels.setAllowed(method.isAllowed, owner: call.caller.uid)
    },
    .asynchronous(DeviceTestPush.self) { service, method, call in
      try await service.pingOne.pushTests.run(method, owner: call.caller.uid)
    },
    .asynchronous(DeviceSendLogs.self) { service, _, call in
      try await service.pingOne.logs.send(of: call.caller.uid)
    },
    .now(DeviceSetKeepOnReinstall.self) { service, method, call in
      try service.core.owners.setKeepsOnReinstall(method.keep, owner: call.caller.uid)
      return method.keep
    },
  ]
}
