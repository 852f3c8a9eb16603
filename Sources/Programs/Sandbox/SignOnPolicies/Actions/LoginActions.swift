import JSON

extension SignOnStep {
  /// Asks for user name and password at once.
  static let login = SignOnStep(name: "LOGIN", identifiesUser: true) { flow, _ in
    if flow.user == nil { flow.status = .usernamePasswordRequired }
  }

  /// Asks for the user name, and then for the password.
  static let identifierFirst = SignOnStep(name: "IDENTIFIER_FIRST", identifiesUser: true) { flow, _ in
    if flow.user == nil { flow.status = .signOnRequired }
  }
}

/// What tells who a user is.
enum LoginActions {
  static let all = [
    FlowAction(
      "usernamePassword.check",
      while: [.usernamePasswordRequired, .passwordRequired],
      checkPassword
    ),
    FlowAction("user.lookup", while: [.signOnRequired], lookUp),
  ]

  private static let checkPassword: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    let username = try tenant.username(in: body, of: flow)
    let password = try body.requiredText("password")
    guard let user = tenant.user(named: username, password: password) else {
      throw .invalid("password", "The provided password did not match provisioned password")
    }
    flow.identify(user.id, by: "pwd")
    try tenant.advance(&flow)
  }

  private static let lookUp: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    guard let user = tenant.user(named: try body.requiredText("username")) else {
      throw body.invalid("username", "The user name is not known")
    }
    flow.claimedUser = user.id
    flow.status = .passwordRequired
  }
}

extension Tenant {
  /// The user name that a flow knows already, or else the one that a request gives.
  func username(in body: Members, of flow: SignOnFlow) throws(PingOneError) -> String {
    guard let known = flow.claimedUser.flatMap({ users[$0]?.username }) else {
      return try body.requiredText("username")
    }
    if let given = try body.text("username"), given.lowercased() != known.lowercased() {
      throw body.invalid("username", "is another than before")
    }
    return known
  }
}
