import JSON
import OpenSSL

/// What changes a password: because it must be changed, or because it was forgotten.
enum PasswordActions {
  static let all = [
    FlowAction("password.reset", while: [.mustChangePassword, .passwordExpired], reset),
    FlowAction(
      "password.forgot",
      while: [.usernamePasswordRequired, .passwordRequired, .signOnRequired],
      forget
    ),
    FlowAction("password.recover", while: [.recoveryCodeRequired], recover),
    FlowAction("password.sendRecoveryCode", while: [.recoveryCodeRequired], sendAgain),
  ]

  private static let reset: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    let current = try body.requiredText("currentPassword")
    let next = try body.requiredText("newPassword")
    guard let user = flow.user.flatMap({ tenant.users[$0] }) else { throw .unexpected }
    guard tenant.user(named: user.username, password: current) != nil else {
      throw body.invalid("currentPassword", "The provided password did not match provisioned password")
    }
    try tenant.setPassword(next, of: user, "newPassword")
    try tenant.advance(&flow)
  }

  /// Says the same whether there is such a user or not.
  private static let forget: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    flow.claimedUser = tenant.user(named: try tenant.username(in: body, of: flow))?.id
    tenant.sendCode(.recovery, to: flow.claimedUser, in: &flow)
    flow.status = .recoveryCodeRequired
  }

  private static let recover: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    let code = try body.requiredText("recoveryCode")
    let next = try body.requiredText("newPassword")
    try tenant.checkCode(code, "recoveryCode", in: &flow)
    guard let user = flow.claimedUser.flatMap({ tenant.users[$0] }) else { throw .unexpected }
    // A password that is not good enough does not use the code up.
    try tenant.setPassword(next, of: user, "newPassword")
    flow.code = nil
    flow.identify(user.id, by: "pwd")
    try tenant.advance(&flow)
  }

  private static let sendAgain: FlowAction.Run = { flow, _, tenant in
    tenant.sendCode(.recovery, to: flow.claimedUser, in: &flow)
  }
}

extension Tenant {
  private static let passwordLengths = 8...255

  /// Gives a user another password, which is good then.
  func setPassword(_ password: String, of user: User, _ member: String) throws(PingOneError) {
    var unsatisfied: JSONObject = [:]
    if !Self.passwordLengths.contains(password.count) {
      unsatisfied["length"] = "The password must have from 8 to 255 characters."
    }
    if constantTimeEqual(Array((user.password ?? "").utf8), Array(password.utf8)) {
      unsatisfied["history"] = "The password is the one from before."
    }
    guard unsatisfied.isEmpty else {
      let names = unsatisfied.members.map(\.name)
      unsatisfied["unsatisfiedRequirements"] = .strings(names)
      throw .invalid(
        member,
        "User password did not satisfy password policy requirements",
        innerError: .object(unsatisfied)
      )
    }
    var user = user
    user.password = password
    user.passwordStatus = .good
    user.updatedAt = clock.now
    users.put(user)
  }
}
