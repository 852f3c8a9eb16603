package import JSONRPC

package struct DeviceSetKeepOnReinstall: ControlMethod {
  package static let name = "device.setKeepOnReinstall"
  package static let access = AccessClass.admin
  package static let summary = "says whether purging the package keeps this owner's state"
  package static let errors: [RPCError] = []
  package static let parameters = Shape(
    DeviceSetKeepOnReinstall.init(keep:),
    .required("keep", \.keep, "whether it is kept")
  )
  package static let envelope: Shape<Bool>? = .member("keep", "whether it is kept from now on")
  package static var example: Example<Self> { Example(DeviceSetKeepOnReinstall(keep: true), true) }

  package let keep: Bool

  package init(keep: Bool) { self.keep = keep }
}
