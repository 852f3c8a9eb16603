package import JSONRPC

package struct EventUnsubscribe: ControlMethod {
  package static let name = "event.unsubscribe"
  package static let access = AccessClass.read
  package static let summary = "ends a subscription of this connection"
  package static let errors: [RPCError] = [.notFound]
  package static let parameters = Shape(
    EventUnsubscribe.init(subscription:),
    .required("subscription", \.subscription, as: .identifier, "what event.subscribe gave")
  )
  package static var example: Example<Self> { Example(EventUnsubscribe(subscription: "s1"), Nothing()) }

  package typealias Result = Nothing

  package let subscription: String

  package init(subscription: String) { self.subscription = subscription }
}
