import JSON

extension SignOnStep {
  /// Asks for what is to be known of a user.
  static let profile = SignOnStep(name: "PROFILE") { flow, _ in flow.status = .profileDataRequired }

  /// Asks whether the user agrees to the terms.
  static let agreement = SignOnStep(name: "AGREEMENT") { flow, _ in flow.status = .agreementConsentRequired }

  /// Asks whether the client may have what its scope says.
  static let consent = SignOnStep(name: "CONSENT") { flow, _ in flow.status = .consentRequired }
}

/// What a user says of themselves, and agrees to.
enum ProfileActions {
  static let all = [
    FlowAction("user.update", while: [.profileDataRequired], update),
    FlowAction("user.consent", while: [.agreementConsentRequired, .consentRequired], consent),
  ]

  private static let maximumText = 256

  private static let update: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    guard var user = flow.user.flatMap({ tenant.users[$0] }) else { throw .unexpected }
    let name = try body.members("name")
    user.email = try body.text("email", maximum: maximumText) ?? user.email
    user.given = try name?.text("given", maximum: maximumText) ?? user.given
    user.family = try name?.text("family", maximum: maximumText) ?? user.family
    guard let email = user.email, email.contains("@") else {
      throw user.email == nil ? body.missing("email") : body.invalid("email", "must be an address")
    }
    user.updatedAt = tenant.clock.now
    tenant.users.put(user)
    try tenant.finishStep(&flow)
  }

  private static let consent: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    guard try body.requiredBool("accept") else {
      return flow.fail("CONSENT_REFUSED", "The user does not agree.")
    }
    try tenant.finishStep(&flow)
  }
}

extension Tenant {
  /// What a flow asks for of a profile.
  func askedAttributes(in flow: SignOnFlow) -> JSON? {
    guard flow.status == .profileDataRequired else { return nil }
    return [
      ["name": "email", "required": true], ["name": "name.given", "required": false],
      ["name": "name.family", "required": false],
    ]
  }

  /// What a flow asks to agree to.
  func agreement(in flow: SignOnFlow) -> JSON? {
    switch flow.status {
    case .agreementConsentRequired:
      ["id": .id(policy.id), "titleText": "Terms of the sandbox", "text": "The user plays by the rules."]
    case .consentRequired:
      [
        "titleText": .string(application.name),
        "text": .string("It asks for: \(flow.request.scope.joined(separator: ", "))."),
      ]
    default: nil
    }
  }
}
