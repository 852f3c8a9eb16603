package import Configuration
internal import JSON

/// What this machine is to the platforms of its geographies.
package struct DeviceReport: ControlObject {
  /// What one platform says.
  package struct Geo: Sendable {
    package let geography: Open<Geography>
    /// The id that its platform knows this machine by.
    package let deviceID: String
    package let users: [DeviceRecord]

    package init(geography: Geography, deviceID: String, users: [DeviceRecord]) {
      (self.geography, self.deviceID, self.users) = (.known(geography), deviceID, users)
    }
  }

  package let geos: [Geo]
  package let errors: [GeographyError]

  package init(geos: [Geo], errors: [GeographyError]) { (self.geos, self.errors) = (geos, errors) }

  package static let shape = Shape(
    "DeviceReport",
    DeviceReport.init(_:_:),
    .required("geos", \.wireGeos, "what those platforms say that responded, by geography"),
    .required("errors", \.errors, "why the others did not")
  )

  private var wireGeos: GeographyMap { GeographyMap(geos) }

  private init(_ geos: GeographyMap, _ errors: [GeographyError]) {
    self.init(geos: geos.geos, errors: errors)
  }
}

/// The geographies as an object, by their names.
private struct GeographyMap: ControlValue {
  let geos: [DeviceReport.Geo]

  init(_ geos: [DeviceReport.Geo]) { self.geos = geos }

  static let schema = Schema.map(DeviceReport.Geo.shape.schema)

  func write(to writer: inout JSONWriter) {
    writer.openObject()
    for geo in geos {
      writer.name(JSONWriter.Name(geo.geography.name))
      DeviceReport.Geo.shape.write(geo, to: &writer)
    }
    writer.closeObject()
  }

  init(reading json: JSON) throws(UnreadableValue) {
    geos = try JSONObject(reading: json).members.map { (member) throws(UnreadableValue) in
      let geo = try DeviceReport.Geo.shape.read(JSONObject(reading: member.value))
      return DeviceReport.Geo(geo, geography: member.name)
    }
  }
}

extension DeviceReport.Geo {
  fileprivate static let shape = Shape(
    DeviceReport.Geo.init(_:_:),
    .required("deviceId", \.deviceID, as: .identifier, "the id that the platform knows this machine by"),
    .required("users", \.users, "the pairings there")
  )

  private init(_ deviceID: String, _ users: [DeviceRecord]) {
    (geography, self.deviceID, self.users) = (.unknown(""), deviceID, users)
  }

  fileprivate init(_ geo: DeviceReport.Geo, geography: String) {
    (self.geography, deviceID, users) = (Open(name: geography), geo.deviceID, geo.users)
  }
}
