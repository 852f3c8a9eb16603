import EventLoop
import HTTPServer

/// `/{environment}/device`: the page where a user answers for a device, by its code and then by name and password.
@EventLoop
enum VerificationPage {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/device", show),
    .anyone("POST", "/{environment}/device", submit),
  ]

  private static func show(_ call: Call) throws(PingOneError) -> HTTPResponse {
    guard let code = try call.queryParameters()["user_code"] else { return codePage(call.tenant) }
    guard let grant = call.tenant.deviceGrant(userCode: code) else { return unknownCode(call.tenant) }
    return signOnPage(grant, call.tenant)
  }

  private static func submit(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let (tenant, form) = (call.tenant, try call.form())
    guard var grant = tenant.deviceGrant(userCode: form["user_code"] ?? "") else {
      return unknownCode(tenant)
    }
    let user = tenant.user(named: form["username"] ?? "", password: form["password"] ?? "")
    guard let user else {
      return signOnPage(grant, tenant, message: "The user name or the password is wrong.")
    }
    let isApproval: Bool
    switch form["decision"] {
    case "approve": isApproval = true
    case "deny": isApproval = false
    default: throw .invalid("decision", "must be approve or deny")
    }
    grant.outcome =
      isApproval
      ? .approved(tenant.startSession(of: user.id, acr: tenant.signOnPolicies.standard.id.text)) : .denied
    tenant.signOn.deviceGrants.put(grant)
    let text = isApproval ? "The device is signed on." : "The device stays outside."
    return HTMLPage(title: isApproval ? "Approved" : "Denied", paragraphs: [text]).response
  }

  private static func unknownCode(_ tenant: Tenant) -> HTTPResponse {
    codePage(tenant, message: "The code is not known or is over.")
  }

  private static func codePage(_ tenant: Tenant, message: String? = nil) -> HTTPResponse {
    let form = HTMLPage.Form(
      action: "\(tenant.authenticationURL)/device",
      method: "get",
      fields: [HTMLPage.Field(name: "user_code", label: "Code")],
      buttons: [HTMLPage.Button(label: "Next")]
    )
    let introduction = "Type in the code that the device shows."
    return HTMLPage(
      title: "Sign a device on",
      paragraphs: [message, introduction].compactMap(\.self),
      form: form
    ).response
  }

  private static func signOnPage(
    _ grant: DeviceGrant,
    _ tenant: Tenant,
    message: String? = nil
  ) -> HTTPResponse {
    let form = HTMLPage.Form(
      action: "\(tenant.authenticationURL)/device",
      fields: [
        HTMLPage.Field(name: "user_code", kind: "hidden", value: grant.userCode)
      ] + HTMLPage.signOn,
      buttons: [
        HTMLPage.Button(label: "Approve", name: "decision", value: "approve"),
        HTMLPage.Button(label: "Deny", name: "decision", value: "deny"),
      ]
    )
    let introduction =
      "Does the device show the code \(grant.userCode)? Then approve it for \(tenant.application.name)."
    return HTMLPage(
      title: "Sign a device on",
      paragraphs: [message, introduction].compactMap(\.self),
      form: form
    ).response
  }
}
