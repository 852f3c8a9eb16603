package import JSON
package import JSONRPC

/// Says whether the owner's state outlives the package.
package struct DeviceSetKeepOnReinstall: ControlMethod {
  package static let name = "device.setKeepOnReinstall"
  package static let access = AccessClass.admin
  package static let summary = "says whether purging the package keeps this owner's state"
  package static let parameters: [Property] = [.required("keep", .boolean)]

  /// What is so from now on.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("keep", .boolean)])

    /// Whether the state is kept.
    package let keep: Bool

    package var json: JSON { ["keep": .bool(keep)] }

    package init(keep: Bool) { self.keep = keep }
  }

  /// Whether the state is kept.
  package let keep: Bool

  package init(_ parameters: Parameters) throws(RPCError) { keep = parameters.flag("keep") }
}
