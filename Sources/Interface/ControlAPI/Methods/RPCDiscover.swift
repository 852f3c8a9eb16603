internal import JSON
package import JSONRPC

package struct RPCDiscover: ControlMethod {
  package static let name = "rpc.discover"
  package static let access = AccessClass.read
  package static let summary = "describes the methods that the caller may call"
  package static let errors: [RPCError] = []
  package static let worksMisconfigured = true
  package static let parameters = Shape(RPCDiscover.init)
  package static var example: Example<Self> { Example(RPCDiscover(), RawJSON(["openrpc": "1.3.2"] as JSON)) }

  /// An OpenRPC document as it is sent.
  package typealias Result = RawJSON

  package init() {}
}
