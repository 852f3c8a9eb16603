internal import Authenticator
internal import ControlAPI

extension HandlerTable {
  static let deviceHandlers: [Handler] = [
    .later(DeviceConfigure.self) { service, method, call in
      let identity = try await service.authenticator.configure(method.geography, for: call.caller.uid)
      return DeviceConfigure.Answer(geography: identity.geography, deviceID: identity.deviceID ?? "")
    },
    .now(DeviceRemoveLocalData.self) { service, _, call in
      let erasure = try service.authenticator.erase(owner: call.caller.uid)
      return DeviceRemoveLocalData.Answer(
        accounts: erasure.accounts,
        notifications: erasure.notifications
      )
    },
    .later(DeviceRotateKeys.self) { service, _, call in
      DeviceRotateKeys.Answer(rotatedAt: try await service.authenticator.rotateKeys(of: call.caller.uid))
    },
    .later(DeviceInfo.self) { service, _, call in
      try await service.authenticator.deviceReport(of: call.caller.uid)
    },
    .later(DeviceSetPushToken.self) { service, method, call in
      try await service.authenticator.setPushToken(method, owner: call.caller.uid)
    },
    .later(DeviceSetPushAllowed.self) { service, method, call in
      try await service.authenticator.setPushAllowed(method.isAllowed, owner: call.caller.uid)
    },
    .later(DeviceTestPush.self) { service, method, call in
      try await service.authenticator.testPush(method, owner: call.caller.uid)
    },
    .later(DeviceSendLogs.self) { service, _, call in
      DeviceSendLogs.Answer(supportID: try await service.authenticator.sendLogs(of: call.caller.uid))
    },
    .now(DeviceSetKeepOnReinstall.self) { service, method, call in
      try service.authenticator.setKeepsOnReinstall(method.keep, owner: call.caller.uid)
      return DeviceSetKeepOnReinstall.Answer(keep: method.keep)
    },
  ]
}
