package import JSON
package import JSONRPC

/// Erases everything that the caller has here; the platforms hear nothing of it.
package struct DeviceRemoveLocalData: ControlMethod {
  package static let name = "device.removeLocalData"
  package static let access = AccessClass.admin
  package static let summary = "erases everything that the caller has here; the platforms hear nothing of it"
  package static let parameters: [Property] = [.required("confirm", .confirmation)]

  package struct Answer: ControlValue {
    package static let schema = Schema.object([
      .required("removed", .object([.required("accounts", .count), .required("notifications", .count)]))
    ])

    /// How many accounts were in force.
    package let accounts: Int
    /// How many pushes were kept.
    package let notifications: Int

    package var json: JSON {
      ["removed": ["accounts": .int(accounts), "notifications": .int(notifications)]]
    }

    package init(accounts: Int, notifications: Int) {
      (self.accounts, self.notifications) = (accounts, notifications)
    }
  }

  package init(_ parameters: Parameters) throws(RPCError) {}
}
