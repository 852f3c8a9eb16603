import EventLoop
import HTTPServer
import JSON

/// A device authorization request, RFC 8628; the identifier is the hash of its device code.
struct DeviceCodeGrant: Stored {
  enum Outcome: Sendable {
    case pending
    case approved(BrowserSession)
    case denied
  }

  let id: ID<DeviceCodeGrant>
  let userCode: String
  let scope: [String]
  let deadline: EndTime
  var interval: Int
  /// Earliest time of the next poll, `nil` before the first poll.
  var nextPoll: EndTime?
  var outcome = Outcome.pending

  static let maximumCount = 1000
}

/// The requests of a device: its two codes, and tokens as soon as the user has approved.
@EventLoop
enum DeviceGrants {
  /// Without vowels, codes do not form words, RFC 8628 section 6.1.
  private static let alphabet = "BCDFGHJKLMNPQRSTVWXZ"

  static func start(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let tenant = call.tenant
    let canManage = tenant.oidcSettings.managesByDeviceGrant
    let scope = try tenant.scope(try call.clientForm()["scope"], canManage: canManage)
    let (code, seconds) = (randomText(43, of: tokenAlphabet), tenant.oidcSettings.deviceCodeSeconds)
    let grant = DeviceCodeGrant(
      id: try ID(hashing: code),
      userCode: "\(randomText(4, of: alphabet))-\(randomText(4, of: alphabet))",
      scope: scope,
      deadline: tenant.clock.deadline(in: seconds),
      interval: tenant.oidcSettings.deviceInterval
    )
    tenant.deviceGrants.put(grant)
    let address = "\(tenant.authenticationURL)/device"
    return .plain([
      "device_code": code, "user_code": grant.userCode, "verification_uri": address,
      "verification_uri_complete": "\(address)?user_code=\(grant.userCode)", "expires_in": seconds,
      "interval": grant.interval,
    ])
  }

  static func tokens(_ parameters: [String: String], _ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let tenant = call.tenant
    guard var grant = tenant.deviceGrants[try ID(hashing: parameters["device_code"] ?? "")] else {
      throw .badGrant("the device code is not known or was used before")
    }
    guard !tenant.clock.isOver(grant.deadline) else {
      throw .oauth("expired_token", "the device code has expired")
    }
    let isEarly = grant.nextPoll.map { !tenant.clock.isOver($0) } ?? false
    // RFC 8628 section 3.5: each early poll lengthens the interval by 5 seconds.
    if isEarly { grant.interval += 5 }
    grant.nextPoll = tenant.clock.deadline(in: grant.interval)
    tenant.deviceGrants.put(grant)
    guard !isEarly else { throw .oauth("slow_down", "the device polls too fast") }
    switch grant.outcome {
    case .pending: throw .oauth("authorization_pending", "the user has not answered yet")
    case .denied:
      tenant.deviceGrants[grant.id] = nil
      throw .oauth("access_denied", "the user denied the request")
    case .approved(let session):
      tenant.deviceGrants[grant.id] = nil
      return try tenant.firstTokens(of: tenant.startFamily(of: session, scope: grant.scope))
    }
  }
}

/// `/{environment}/device`: the page on which a user approves a device, by its code and then by name and
/// password.
@EventLoop
enum VerificationPage {
  static func show(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard let code = try call.queryParameters()["user_code"] else { return codePage(call.tenant) }
    guard let grant = grant(userCode: code, call.tenant) else { return unknownCode(call.tenant) }
    return signOnPage(grant, call.tenant)
  }

  static func submit(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
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
    let text = isApproval ? "The device is signed on." : "The device is not signed on."
    return HTMLPage(title: isApproval ? "Approved" : "Denied", paragraphs: [text]).response
  }

  /// Returns the pending grant of a user code, regardless of case and punctuation.
  private static func grant(userCode typed: String, _ tenant: Tenant) -> DeviceCodeGrant? {
    func letters(_ code: String) -> String { code.uppercased().filter { $0.isLetter } }
    let found = tenant.deviceGrants.first { letters($0.userCode) == letters(typed) }
    guard let found, case .pending = found.outcome, !tenant.clock.isOver(found.deadline) else { return nil }
    return found
  }

  private static func unknownCode(_ tenant: Tenant) -> HTTPResponse {
    codePage(tenant, message: "The code is not known or has expired.")
  }

  private static func codePage(_ tenant: Tenant, message: String? = nil) -> HTTPResponse {
    page(
      [message, "Enter the code that the device shows."],
      HTMLPage.Form(
        action: "\(tenant.authenticationURL)/device",
        method: "get",
        fields: [HTMLPage.Field(name: "user_code", label: "Code")],
        buttons: [HTMLPage.Button(label: "Next")]
      )
    )
  }

  private static func signOnPage(_ grant: DeviceCodeGrant, _ tenant: Tenant, message: String? = nil)
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
