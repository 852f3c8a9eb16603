import JSON

/// What shows that a user gets messages at their address.
enum VerificationActions {
  static let all = [
    FlowAction("user.verify", while: [.verificationCodeRequired], verify),
    FlowAction("user.sendVerificationCode", while: [.verificationCodeRequired], sendAgain),
  ]

  private static let verify: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    try tenant.checkCode(try body.requiredText("verificationCode"), "verificationCode", in: &flow)
    guard var user = flow.user.flatMap({ tenant.users[$0] }) else { throw .unexpected }
    flow.code = nil
    user.isVerified = true
    user.updatedAt = tenant.clock.now
    tenant.users.put(user)
    try tenant.advance(&flow)
  }

  private static let sendAgain: FlowAction.Run = { flow, _, tenant in
    tenant.sendCode(.verification, to: flow.user, in: &flow)
  }
}

extension Tenant {
  /// Asks for what a user's account needs before anything else.
  func askForAccount(of user: User, in flow: inout SignOnFlow) {
    switch user.passwordStatus {
    case .mustChange where flow.methods.contains("pwd"): flow.status = .mustChangePassword
    case .expired where flow.methods.contains("pwd"): flow.status = .passwordExpired
    case .good, .mustChange, .expired:
      guard !user.isVerified else { return }
      flow.status = .verificationCodeRequired
      if flow.code == nil { sendCode(.verification, to: user.id, in: &flow) }
    }
  }
}
