package import PingOne

extension DeviceDescription {
  /// The description of the test device.
  package static let desk = DeviceDescription(
    name: "desk",
    osVersion: "13",
    applicationID: "mfad",
    version: "9.8.7"
  )
}
