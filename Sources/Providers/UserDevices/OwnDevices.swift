package import Accounts
internal import ControlAPI

/// An account of this machine, with the devices that it is to the other side; none before that told of any.
package struct OwnDevices: Sendable {
  package let account: AccountRecord
  package let names: [DeviceName]
  /// Whether it is surely of this side, so that whoever names a device of it means it too.
  let isOfThisSide: Bool

  package init(_ account: AccountRecord, _ names: [DeviceName], isOfThisSide: Bool = true) {
    (self.account, self.names, self.isOfThisSide) = (account, names, isOfThisSide)
  }

  func includes(_ device: UserDevice) -> Bool {
    names.contains { $0 == DeviceName(device.id, type: device.type) }
  }

  /// Whether a subject of an order means it.
  func isMeant(by subject: String) -> Bool {
    account.id == subject || (isOfThisSide && names.contains { $0.id == subject })
  }
}
