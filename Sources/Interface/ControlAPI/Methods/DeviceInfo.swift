package import JSONRPC

package struct DeviceInfo: ControlMethod {
  package static let name = "device.info"
  package static let access = AccessClass.read
  package static let summary = "asks the platform of each geography what this machine is there"
  package static let errors: [RPCError] = [.notConfigured, .notPaired, .keyUnavailable]
  package static let parameters = Shape(DeviceInfo.init)
  package static var example: Example<Self> { Example(DeviceInfo(), Samples.report) }

  package typealias Result = DeviceReport

  package init() {}
}
