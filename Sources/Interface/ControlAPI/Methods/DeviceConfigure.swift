package import Configuration
package import JSON
package import JSONRPC

/// Establishes trust with the platform of a geography.
package struct DeviceConfigure: ControlMethod {
  package static let name = "device.configure"
  package static let access = AccessClass.admin
  package static let summary = "establishes trust with the platform of a geography"
  package static let parameters: [Property] = [
    .required("geo", .choice(Geography.allCases.map(\.rawValue)))
  ]
  package static let audit: AuditRule? = AuditRule(.answer(["deviceId"]))

  /// The geography and the id that its platform knows this device by.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([
      .required("geo", .choice(Geography.allCases.map(\.rawValue))), .required("deviceId", .identifier),
    ])

    package let geography: Geography
    /// The id that its platform knows this device by.
    package let deviceID: String

    package var json: JSON { ["geo": .string(geography.rawValue), "deviceId": .string(deviceID)] }

    /// A geography and a device id.
    package init(geography: Geography, deviceID: String) {
      (self.geography, self.deviceID) = (geography, deviceID)
    }
  }

  package let geography: Geography

  package init(_ parameters: Parameters) throws(RPCError) {
    guard let geography = Geography(rawValue: try parameters.text("geo")) else {
      throw .invalidParameter("geo")
    }
    self.geography = geography
  }
}
