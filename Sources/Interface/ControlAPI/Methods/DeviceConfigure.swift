package import Configuration
package import JSONRPC

package struct DeviceConfigure: ControlMethod {
  package static let name = "device.configure"
  package static let access = AccessClass.admin
  package static let summary = "establishes trust with the platform of a geography"
  package static let errors: [RPCError] = .platform + [.cannotUpdateGeography]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.deviceID)
  package static let parameters = Shape(
    DeviceConfigure.init(geography:),
    .required("geo", \.geography, "the geography")
  )
  package static var example: Example<Self> {
    Example(
      DeviceConfigure(geography: .europe),
      Result(geography: .europe, deviceID: "d-1")
    )
  }

  package struct Result: ControlObject {
    package let geography: Open<Geography>
    package let deviceID: String

    package init(geography: Geography, deviceID: String) {
      self.init(geography: .known(geography), deviceID: deviceID)
    }

    private init(geography: Open<Geography>, deviceID: String) {
      (self.geography, self.deviceID) = (geography, deviceID)
    }

    package static let shape = Shape(
      Result.init(geography:deviceID:),
      .required("geo", \.geography, "the geography"),
      .required("deviceId", \.deviceID, as: .identifier, "the id that its platform knows this device by")
    )
  }

  package let geography: Geography

  package init(geography: Geography) { self.geography = geography }
}
