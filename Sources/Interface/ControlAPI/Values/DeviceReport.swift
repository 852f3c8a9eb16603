package import Configuration
package import JSON

/// What this machine is to the platforms of its geographies.
package struct DeviceReport: ControlValue {
  /// What one platform says.
  package struct Geo: Sendable {
    package let geography: Geography
    /// The id that its platform knows this machine by.
    package let deviceID: String
    package let users: [DeviceRecord]

    /// What one platform says.
    package init(geography: Geography, deviceID: String, users: [DeviceRecord]) {
      (self.geography, self.deviceID, self.users) = (geography, deviceID, users)
    }
  }

  /// What those said that answered.
  package let geos: [Geo]
  /// Why the others did not.
  package let errors: [GeographyError]

  package init(geos: [Geo], errors: [GeographyError]) { (self.geos, self.errors) = (geos, errors) }

  package static let schema = Schema.object([
    .required("geos", .map(geo)), .required("errors", .array(GeographyError.schema)),
  ])

  private static let geo = Schema.object([
    .required("deviceId", .identifier), .required("users", .array(DeviceRecord.schema)),
  ])

  package var json: JSON {
    let geos = self.geos.map { geo -> (String, JSON) in
      (
        geo.geography.rawValue,
        ["deviceId": .string(geo.deviceID), "users": .array(geo.users.map(\.json))]
      )
    }
    return ["geos": .object(JSONObject(geos)), "errors": .array(errors.map(\.json))]
  }
}
