import EventLoop
import HTTPServer
import JSON
import Time

/// A code that a user enters on their device, or opens there by a link, to sign on.
struct IssuedCode: Stored, Codable {
  /// Whether the user must approve on the device.
  enum Approval: String, CaseIterable, Codable, Shown {
    case required = "REQUIRED"
    case notRequired = "NOT_REQUIRED"
  }

  enum Status: String, Codable, Shown {
    case unclaimed = "UNCLAIMED"
    case claimed = "CLAIMED"
    case completed = "COMPLETED"
    case denied = "DENIED"
    case expired = "EXPIRED"
  }

  private(set) var id = ID<IssuedCode>.random()
  let code: String
  let clientContext: JSON?
  let approval: Approval
  let lifeTime: TimeSpan
  let deadline: EndTime
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var status = Status.unclaimed
  var user: ID<PlatformUser>?
  var device: ID<TrustedDevice>?

  static let maximumCount = 10_000

  var handles: [String] { [code] }
}

extension Tenant {
  func status(of code: IssuedCode) -> IssuedCode.Status {
    switch code.status {
    case .unclaimed, .claimed: clock.isOver(code.deadline) ? .expired : code.status
    case .completed, .denied, .expired: code.status
    }
  }
}

@EventLoop
enum AuthenticationCodeRoutes {
  private nonisolated static let all = "/{environment}/authenticationCodes"

  static let routes: [Route<Endpoint>] = [
    .administrator("POST", all, create), .administrator("GET", "\(all)/{authenticationCode}", read),
    .administrator("DELETE", "\(all)/{authenticationCode}", delete),
  ]

  private static func create(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, body) = (call.tenant, try call.body())
    guard try body.names("application", tenant.application.id, "an application") else {
      throw body.missing("application")
    }
    let lifeTime = try body.timeSpan("lifeTime", 10...1800, [.seconds, .minutes]) ?? TimeSpan(1, .minutes)
    let code = IssuedCode(
      code: tenant.authenticationCodes.unused { randomText(8, of: codeAlphabet) },
      clientContext: try body.context("clientContext"),
      approval: try body.choice("userApproval", of: IssuedCode.Approval.self) ?? .required,
      lifeTime: lifeTime,
      deadline: tenant.clock.deadline(in: lifeTime.seconds),
      createdAt: tenant.clock.now,
      updatedAt: tenant.clock.now
    )
    tenant.authenticationCodes.put(code)
    return call.shown(code, 201)
  }

  private static func read(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    call.shown(try call.one("authenticationCode", in: call.tenant.authenticationCodes))
  }

  private static func delete(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let code = try call.one("authenticationCode", in: call.tenant.authenticationCodes)
    call.tenant.authenticationCodes[code.id] = nil
    return .noContent
  }
}

extension IssuedCode: Resource {
  /// Returns the content of the code's QR code.
  @EventLoop
  func uri(in tenant: Tenant) -> String {
    let prefix = tenant.application.uriPrefix ?? "pingonesdk"
    return "\(prefix)?authentication_code=\(code)"
  }

  func json(in tenant: Tenant) -> JSON {
    .of([
      "_links": JSON.links(["self": "\(tenant.authenticationURL)/authenticationCodes/\(id.text)"]), "id": id,
      "environment": tenant.environment.id.reference, "code": code, "uri": uri(in: tenant),
      "application": tenant.application.id.reference, "clientContext": clientContext, "lifeTime": lifeTime,
      "userApproval": approval, "status": tenant.status(of: self), "user": user?.reference,
      "expiresAt": tenant.clock.instant(of: deadline), "createdAt": createdAt, "updatedAt": updatedAt,
    ])
  }
}
