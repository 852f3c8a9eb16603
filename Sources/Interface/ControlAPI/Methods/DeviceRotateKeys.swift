package import JSON
package import JSONRPC
package import Time

/// Replaces the keys that the platforms know this device by.
package struct DeviceRotateKeys: ControlMethod {
  package static let name = "device.rotateKeys"
  package static let access = AccessClass.admin
  package static let summary = "replaces the keys that the platforms know this device by"
  package static let parameters: [Property] = []

  /// When the new keys came into force.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("rotatedAt", .instant)])

    /// When the new keys came into force.
    package let rotatedAt: Timestamp

    package var json: JSON { ["rotatedAt": .string(rotatedAt.text)] }

    /// When the new keys came into force.
    package init(rotatedAt: Timestamp) { self.rotatedAt = rotatedAt }
  }

  package init(_ parameters: Parameters) throws(RPCError) {
  }
}
