internal import Machine
package import PingOne
internal import Usage

extension DeviceDescription {
  /// What this machine says of itself when it is introduced.
  package static func thisMachine(applicationID: String) -> DeviceDescription {
    let names = MachineNames()
    return DeviceDescription(
      name: names.host,
      osVersion: "\(names.system) \(names.release)",
      applicationID: applicationID,
      version: Version.text
    )
  }
}
