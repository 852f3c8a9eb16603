import EventLoop

/// A step of a sign-on policy.
struct SignOnStep: Sendable {
  /// The name by which policies call it.
  let name: String
  /// Whether the user is known after it, so that a session can stand in its place.
  var identifiesUser = false
  /// Asks for what the step needs by a status of the flow; a flow that is left without one needs nothing.
  let begin: @EventLoop @Sendable (inout SignOnFlow, Tenant) throws(PingOneError) -> Void

  static let all: [SignOnStep] = [
    .login, .identifierFirst, .external, .mfa, .assertion, .profile, .agreement, .consent,
  ]

  static func named(_ name: String) -> SignOnStep? { all.first { $0.name == name } }
}

extension Tenant {
  /// Leads a flow to the next thing that it needs of its user, or to its end.
  func advance(_ flow: inout SignOnFlow) throws(PingOneError) {
    flow.status = nil
    if let user = flow.user {
      guard let user = users[user] else { return flow.fail("USER_GONE", "The user is gone.") }
      askForAccount(of: user, in: &flow)
    }
    while flow.status == nil, let step = flow.stepsLeft.first.flatMap({ SignOnStep.named($0) }) {
      try step.begin(&flow, self)
      if flow.status == nil { flow.stepsLeft.removeFirst() }
    }
    if flow.status == nil { complete(&flow) }
  }

  /// Ends the step that a flow is at, and leads it on.
  func finishStep(_ flow: inout SignOnFlow) throws(PingOneError) {
    if !flow.stepsLeft.isEmpty { flow.stepsLeft.removeFirst() }
    try advance(&flow)
  }

  /// Gives the user of a flow that has nothing left a session, if they have not got this very one.
  private func complete(_ flow: inout SignOnFlow) {
    flow.status = .completed
    guard let user = flow.user else { return flow.fail("NO_USER", "Nobody has signed on.") }
    if let session = sessions[flow.session], session.methods == flow.methods { return }
    let session = startSession(flow.session, of: user, methods: flow.methods, acr: flow.policy.id.text)
    flow.sessionToken = session.token
  }
}
