package import JSON
package import JSONRPC

/// Describes the methods that the caller may call, as an OpenRPC 1.3 document.
package struct RPCDiscover: ControlMethod {
  package static let name = "rpc.discover"
  package static let access = AccessClass.read
  package static let summary = "describes the methods that the caller may call"
  package static let parameters: [Property] = []

  package struct Answer: ControlValue {
    package static let schema = Schema.map(.anything)

    package let json: JSON

    /// The document of these methods.
    package init(_ document: JSON) { json = document }
  }

  package init(_ parameters: Parameters) throws(RPCError) {}
}
