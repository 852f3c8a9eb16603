package import JSONRPC

/// Tells how much the service does and takes.
package struct ServiceMetrics: ControlMethod {
  package static let name = "service.metrics"
  package static let access = AccessClass.service
  package static let summary = "tells how much the service does and takes"
  package static let parameters: [Property] = []

  package typealias Answer = ServiceFigures

  package init(_ parameters: Parameters) throws(RPCError) {}
}
