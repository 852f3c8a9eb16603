package import JSONRPC

package struct ServiceDoctor: ControlMethod {
  package static let name = "service.doctor"
  package static let access = AccessClass.read
  package static let summary =
    "looks at all that an authenticator needs; what asks the network is done once a minute at most, for all callers"
  package static let errors: [RPCError] = []
  package static let worksMisconfigured = true
  package static let parameters = Shape(ServiceDoctor.init)
  package static var example: Example<Self> { Example(ServiceDoctor(), Samples.health) }

  package typealias Result = DoctorReport

  package init() {}
}
