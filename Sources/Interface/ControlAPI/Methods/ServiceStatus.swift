package import JSONRPC

package struct ServiceStatus: ControlMethod {
  package static let name = "service.status"
  package static let access = AccessClass.read
  package static let summary = "tells how the service is and what the caller has"
  package static let errors: [RPCError] = []
  package static let worksMisconfigured = true
  package static let parameters = Shape(ServiceStatus.init)
  package static var example: Example<Self> { Example(ServiceStatus(), Samples.status) }

  package typealias Result = ServiceStatusReport

  package init() {}
}
