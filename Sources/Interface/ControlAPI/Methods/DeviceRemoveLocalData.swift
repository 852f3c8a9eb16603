package import JSONRPC

package struct DeviceRemoveLocalData: ControlMethod {
  package static let name = "device.removeLocalData"
  package static let access = AccessClass.admin
  package static let summary = "erases everything that the caller has here; the platforms hear nothing of it"
  package static let errors: [RPCError] = []
  package static let parameters = Shape(
    { _ in DeviceRemoveLocalData() },
    .confirmation("confirm", "that this is meant")
  )
  package static let envelope: Shape<Removed>? = .member("removed", "what was erased")
  package static var example: Example<Self> {
    Example(DeviceRemoveLocalData(), Removed(accounts: 1, notifications: 3))
  }

  package struct Removed: ControlObject {
    package let accounts: Int
    package let notifications: Int

    package init(accounts: Int, notifications: Int) {
      (self.accounts, self.notifications) = (accounts, notifications)
    }

    package static let shape = Shape(
      Removed.init(accounts:notifications:),
      .required("accounts", \.accounts, "how many accounts were in force"),
      .required("notifications", \.notifications, "how many pushes were kept")
    )
  }

  package var worksWhileLocked: Bool { true }

  package init() {}
}
