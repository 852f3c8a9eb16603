package import JSONRPC

/// Ends a subscription of this connection.
package struct EventUnsubscribe: ControlMethod {
  package static let name = "event.unsubscribe"
  package static let access = AccessClass.read
  package static let summary = "ends a subscription of this connection"
  package static let parameters: [Property] = [
    .required("subscription", .identifier)
  ]

  package typealias Answer = Nothing

  package let subscription: String

  package init(_ parameters: Parameters) throws(RPCError) {
    subscription = try parameters.text("subscription")
  }
}
