/// Every method of the interface, sorted by name; a method that is not here does not exist.
package enum MethodTable {
  /// The methods.
  package static let all: [any ControlMethod.Type] = [
    AccountList.self,
    AccountRemove.self,
    AccountRename.self,
    AuthenticationApprove.self,
    AuthenticationDeny.self,
    AuthenticationList.self,
    AuthenticationStart.self,
    DeviceConfigure.self,
    DeviceRotateKeys.self,
    EventSubscribe.self,
    EventUnsubscribe.self,
    LoginCancel.self,
    LoginNext.self,
    LoginStart.self,
    NotificationApprove.self,
    NotificationDeny.self,
    NotificationGet.self,
    NotificationList.self,
    NotificationProcess.self,
    PairingApprove.self,
    PairingIgnore.self,
    PairingList.self,
    PairingPair.self,
    PairingProcessIDToken.self,
    PasscodeGet.self,
    PayloadGenerate.self,
    RPCDiscover.self,
    ServiceStatus.self,
  ]
}
