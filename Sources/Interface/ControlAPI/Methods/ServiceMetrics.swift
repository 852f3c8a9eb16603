package import JSONRPC

package struct ServiceMetrics: ControlMethod {
  package static let name = "service.metrics"
  package static let access = AccessClass.service
  package static let summary = "tells how much the service does and takes"
  package static let errors: [RPCError] = [.permissionDenied]
  package static let parameters = Shape(ServiceMetrics.init)
  package static var example: Example<Self> { Example(ServiceMetrics(), Samples.figures) }

  package typealias Result = ServiceFigures

  package init() {}
}
