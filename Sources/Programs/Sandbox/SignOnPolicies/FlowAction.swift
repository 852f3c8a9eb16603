import EventLoop
import HTTPServer
import JSON

/// Something that a user can do in a flow, by its media type.
struct FlowAction: Sendable {
  typealias Run = @EventLoop @Sendable (inout SignOnFlow, Members, Tenant) throws(PingOneError) -> Void

  let name: String
  /// The statuses of a flow in which it can be done, and is linked.
  let statuses: Set<SignOnFlow.Status>
  let run: Run

  init(_ name: String, while statuses: Set<SignOnFlow.Status>, _ run: @escaping Run) {
    self.name = name
    self.statuses = statuses
    self.run = run
  }

  static let all: [FlowAction] =
    LoginActions.all + PasswordActions.all + VerificationActions.all + DeviceActions.all + ProfileActions.all
}

extension Tenant {
  /// Does something in a flow, if it is the time for it.
  func run(_ action: FlowAction, _ body: Members, in flow: inout SignOnFlow) throws(PingOneError) {
    guard let status = flow.status, action.statuses.contains(status) else {
      throw .invalidRequest("The action \(action.name) is not possible now.")
    }
    // What fails counts too: wrong codes are used up.
    defer { signOn.flows.put(flow) }
    try action.run(&flow, body, self)
  }
}
