import EventLoop
import HTTPServer

/// `/{environment}/device`: the page where a user answers for a device, by its code and then by name and password.
@EventLoop
enum VerificationPage {
  static func show(_ call: Call) throws(Refusal) -> HTTPResponse {
    guard let code = try call.queryParameters()["user_code"] else { return codePage(call.tenant) }
    guard let grant = grant(userCode: code, call.tenant) else { return unknownCode(call.tenant) }
    return signOnPage(grant, call.tenant)
  }

  static func submit(_ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, form) = (call.tenant, try call.form())
    guard var grant = grant(userCode: form["user_code"] ?? "", tenant) else { return unknownCode(tenant) }
    let user = tenant.user(named: form["username"] ?? "", password: form["password"] ?? "")
    guard let user else {
      return signOnPage(grant, tenant, message: "The user name or the password is wrong.")
    }
    guard let decision = form["decision"], ["approve", "deny"].contains(decision) else {
      throw .invalid("decision", "must be approve or deny")
    }
    let isApproval = decision == "approve"
    let acr = tenant.signOnPolicies.standard.id.text
    grant.outcome = isApproval ? .approved(tenant.startSession(of: user.id, acr: acr)) : .denied
    tenant.deviceGrants.put(grant)
    let text = isApproval ? "The device is signed on." : "The device stays outside."
    return HTMLPage(title: isApproval ? "Approved" : "Denied", paragraphs: [text]).response
  }

  /// The grant that waits for an answer under a user code, however the code was typed.
  private static func grant(userCode typed: String, _ tenant: Tenant) -> DeviceGrant? {
    func letters(_ code: String) -> String { code.uppercased().filter { $0.isLetter } }
    let found = tenant.deviceGrants.first { letters($0.userCode) == letters(typed) }
    guard let found, case .pending = found.outcome, !tenant.clock.isOver(found.deadline) else { return nil }
    return found
  }

  private static func unknownCode(_ tenant: Tenant) -> HTTPResponse {
    codePage(tenant, message: "The code is not known or is over.")
  }

  private static func codePage(_ tenant: Tenant, message: String? = nil) -> HTTPResponse {
    page(
      [message, "Type in the code that the device shows."],
      HTMLPage.Form(
        action: "\(tenant.authenticationURL)/device",
        method: "get",
        fields: [HTMLPage.Field(name: "user_code", label: "Code")],
        buttons: [HTMLPage.Button(label: "Next")]
      )
    )
  }

  private static func signOnPage(_ grant: DeviceGrant, _ tenant: Tenant, message: String? = nil)
    -> HTTPResponse
  {
    let (code, name) = (grant.userCode, tenant.application.name)
    return page(
      [message, "Does the device show the code \(code)? Then approve it for \(name)."],
      HTMLPage.Form(
        action: "\(tenant.authenticationURL)/device",
        fields: HTMLPage.Field.signOn("user_code", code),
        buttons: ["Approve", "Deny"].map {
          HTMLPage.Button(label: $0, name: "decision", value: $0.lowercased())
        }
      )
    )
  }

  private static func page(_ paragraphs: [String?], _ form: HTMLPage.Form) -> HTTPResponse {
    HTMLPage(title: "Sign a device on", paragraphs: paragraphs.compactMap(\.self), form: form).response
  }
}
