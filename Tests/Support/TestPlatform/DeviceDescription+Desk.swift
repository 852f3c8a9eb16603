package import PingOne

extension DeviceDescription {
  /// What a device of the tests says of itself.
  package static let desk = DeviceDescription(
    name: "desk",
    osVersion: "13",
    applicationID: "mfad",
    version: "9.8.7"
  )
}
