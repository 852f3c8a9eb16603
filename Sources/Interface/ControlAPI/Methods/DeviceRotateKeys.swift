package import JSONRPC
package import Time

package struct DeviceRotateKeys: ControlMethod {
  package static let name = "device.rotateKeys"
  package static let access = AccessClass.admin
  package static let summary = "replaces the keys that the platforms know this device by"
  package static let errors: [RPCError] = .platform
  package static let parameters = Shape(DeviceRotateKeys.init)
  package static let envelope: Shape<Timestamp>? = .member("rotatedAt", "when the new keys came into force")
  package static var example: Example<Self> { Example(DeviceRotateKeys(), Samples.instant) }

  package init() {}
}
