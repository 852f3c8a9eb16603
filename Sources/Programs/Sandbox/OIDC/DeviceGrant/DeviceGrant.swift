import EventLoop
import HTTPServer
import JSON

/// A request of a device without a browser, which a user answers on another, RFC 8628; it is known by its code's hash.
struct DeviceGrant: Stored {
  enum Outcome: Sendable {
    case pending
    case approved(SignOnSession)
    case denied
  }

  let id: ID<DeviceGrant>
  let userCode: String
  let scope: [String]
  let deadline: Deadline
  var interval: Int
  /// When the device may poll next; any time before its first poll.
  var nextPoll: Deadline?
  var outcome = Outcome.pending

  static let maximumCount = 1000
}

/// What a device asks for: its two codes, and tokens as soon as the user has approved.
@EventLoop
enum DeviceGrants {
  /// Without vowels no code is a word, RFC 8628 section 6.1.
  private static let alphabet = "BCDFGHJKLMNPQRSTVWXZ"

  static func start(_ call: Call) throws(Refusal) -> HTTPResponse {
    let tenant = call.tenant
    let canManage = tenant.oidcSettings.managesByDeviceGrant
    let scope = try tenant.scope(try call.clientForm()["scope"], canManage: canManage)
    let (code, seconds) = (randomText(43, of: tokenAlphabet), tenant.oidcSettings.deviceCodeSeconds)
    let grant = DeviceGrant(
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

  static func tokens(_ parameters: [String: String], _ call: Call) throws(Refusal) -> HTTPResponse {
    let tenant = call.tenant
    guard var grant = tenant.deviceGrants[try ID(hashing: parameters["device_code"] ?? "")] else {
      throw .badGrant("the device code is not known or was used before")
    }
    guard !tenant.clock.isOver(grant.deadline) else {
      throw .oauth("expired_token", "the device code is over")
    }
    let isEarly = grant.nextPoll.map { !tenant.clock.isOver($0) } ?? false
    // RFC 8628 section 3.5.
    if isEarly { grant.interval += 5 }
    grant.nextPoll = tenant.clock.deadline(in: grant.interval)
    tenant.deviceGrants.put(grant)
    guard !isEarly else { throw .oauth("slow_down", "the device polls too fast") }
    switch grant.outcome {
    case .pending: throw .oauth("authorization_pending", "the user has not answered yet")
    case .denied:
      tenant.deviceGrants[grant.id] = nil
      throw .oauth("access_denied", "the user does not want it")
    case .approved(let session):
      tenant.deviceGrants[grant.id] = nil
      return try tenant.firstTokens(of: tenant.startFamily(of: session, scope: grant.scope))
    }
  }
}
