import HTTPServer

/// What a page asks for in a status of a flow.
struct SignOnPage {
  var text = ""
  var fields: [HTMLPage.Field] = []
  var buttons: [HTMLPage.Button] = []

  /// The action of a form that only wants to know how it goes on.
  static let waiting = "wait"

  private static func send(_ label: String, _ action: String) -> HTMLPage.Button {
    HTMLPage.Button(label: label, name: "action", value: action)
  }

  private static func password(_ name: String, _ label: String) -> HTMLPage.Field {
    HTMLPage.Field(name: name, label: label, kind: "password")
  }

  init(_ status: SignOnFlow.Status, username: String) {
    let user = HTMLPage.Field(name: "username", label: "User name", value: username)
    let password = Self.password("password", "Password")
    let next = Self.password("newPassword", "New password")
    switch status {
    case .usernamePasswordRequired:
      fields = [user, password]
      buttons = [Self.send("Sign on", "usernamePassword.check"), Self.send("Forgotten", "password.forgot")]
    case .passwordRequired:
      fields = [password]
      buttons = [Self.send("Sign on", "usernamePassword.check"), Self.send("Forgotten", "password.forgot")]
    case .signOnRequired: (fields, buttons) = ([user], [Self.send("Next", "user.lookup")])
    case .mustChangePassword, .passwordExpired:
      text = "The password has to be changed."
      fields = [Self.password("currentPassword", "Password"), next]
      buttons = [Self.send("Change", "password.reset")]
    case .recoveryCodeRequired:
      text = "A code is on its way to you."
      fields = [HTMLPage.Field(name: "recoveryCode", label: "Code"), next]
      buttons = [Self.send("Change", "password.recover")]
    case .verificationCodeRequired:
      text = "A code is on its way to you."
      fields = [HTMLPage.Field(name: "verificationCode", label: "Code")]
      buttons = [Self.send("Next", "user.verify")]
    case .otpRequired:
      fields = [HTMLPage.Field(name: "otp", label: "Passcode")]
      buttons = [Self.send("Next", "otp.check")]
    case .pushConfirmationRequired:
      text = "Approve the request on your device, then go on here, or type its passcode in."
      fields = [HTMLPage.Field(name: "otp", label: "Passcode")]
      buttons = [Self.send("Go on", Self.waiting), Self.send("Use the passcode", "otp.check")]
    case .deviceSelectionRequired, .pushConfirmationTimedOut:
      text = "Choose a device."
      buttons = [Self.send("Next", "device.select")]
    case .profileDataRequired:
      fields = [HTMLPage.Field(name: "email", label: "E-mail address")]
      buttons = [Self.send("Next", "user.update")]
    case .agreementConsentRequired, .consentRequired:
      fields = [HTMLPage.Field(name: "accept", kind: "hidden", value: "true")]
      buttons = [Self.send("Agree", "user.consent")]
    case .externalAuthenticationRequired:
      text = "Sign on with the other provider, then go on here."
      buttons = [Self.send("Go on", Self.waiting)]
    case .assertionRequired: text = "A security key is needed, which this page cannot ask."
    case .completed, .failed: break
    }
  }
}

extension SignOnPage {
  /// What a form does that is sent without a button.
  static func firstAction(in status: SignOnFlow.Status?) -> String {
    status.flatMap { SignOnPage($0, username: "").buttons.first?.value } ?? waiting
  }
}

extension Tenant {
  /// What a browser is shown of a flow: the page for its status, or the way back to the client.
  func page(of flow: SignOnFlow, message: String? = nil) throws(PingOneError) -> HTTPResponse {
    guard let status = flow.status, status != .completed else { return try conclude(flow) }
    guard status != .failed else {
      signOn.flows[flow.id] = nil
      let error = PingOneError.oauth("access_denied", flow.failure?.message ?? "the sign-on has failed")
      return flow.request.target.refusal(error, issuer: issuer)
    }
    let page = SignOnPage(status, username: flow.request.loginHint ?? "")
    let form = HTMLPage.Form(
      action: "\(issuer)/signon",
      fields: [HTMLPage.Field(name: "flowId", kind: "hidden", value: flow.id.text)] + page.fields,
      choices: choices(of: flow, status),
      buttons: page.buttons + [HTMLPage.Button(label: "Cancel", name: "decision", value: "cancel")]
    )
    let introduction = "Sign on to \(application.name)."
    let external = status == .externalAuthenticationRequired ? externalAddress(of: flow) : nil
    return HTMLPage(
      title: "Sign on",
      paragraphs: [message, introduction, page.text].compactMap(\.self).filter { !$0.isEmpty },
      link: external,
      form: form
    ).response.with(cookie: flow.sessionToken, in: environment)
  }

  private func choices(of flow: SignOnFlow, _ status: SignOnFlow.Status) -> [HTMLPage.Choice] {
    guard status == .deviceSelectionRequired || status == .pushConfirmationTimedOut,
      let authentication = flow.authentication.flatMap({ authentications[$0] })
    else { return [] }
    return usableDevices(for: authentication).map { device in
      let name = device.nickname ?? trustedDevices[device.device]?.name ?? device.id.text
      return HTMLPage.Choice(name: "device", value: device.id.text, label: name)
    }
  }

  /// Sends the browser back to the client with the code of a flow that is completed, and forgets the flow.
  func conclude(_ flow: SignOnFlow) throws(PingOneError) -> HTTPResponse {
    guard let session = sessions[flow.session] else { throw .notFound }
    signOn.flows[flow.id] = nil
    return flow.request.target.redirection(try authorizeResponse(to: flow.request, for: session))
      .with(cookie: session.token, in: environment)
  }
}
