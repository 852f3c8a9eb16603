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
  ]
}
