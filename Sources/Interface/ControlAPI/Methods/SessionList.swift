package import JSONRPC

package struct SessionList: ControlMethod {
  package static let name = "session.list"
  package static let access = AccessClass.read
  package static let summary = "lists the sessions that sign-ons left here"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(SessionList.init)
  package static let envelope: Shape<[SignOnSession]>? = .member("sessions", "the sessions, the newest first")
  package static var example: Example<Self> { Example(SessionList(), [Samples.session]) }

  package init() {}
}
