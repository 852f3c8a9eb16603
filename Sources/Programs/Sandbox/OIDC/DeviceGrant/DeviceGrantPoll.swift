import EventLoop
import HTTPServer

/// Tokens for a device code, as soon as the user has approved.
enum DeviceGrantPoll {
  /// What a device that polls too fast has to add to its interval, RFC 8628 section 3.5.
  private static let slowDown = 5

  @EventLoop
  static func tokens(
    _ parameters: [String: String],
    _ call: Call
  ) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let id = try DeviceGrant.id(of: parameters["device_code"] ?? "")
    guard var grant = tenant.signOn.deviceGrants[id] else {
      throw .oauth("invalid_grant", "the device code is not known or was used before")
    }
    guard !tenant.clock.isOver(grant.deadline) else {
      throw .oauth("expired_token", "the device code is over")
    }
    let isEarly = grant.nextPoll.map { !tenant.clock.isOver($0) } ?? false
    if isEarly { grant.interval += slowDown }
    grant.nextPoll = tenant.clock.deadline(in: grant.interval)
    tenant.signOn.deviceGrants.put(grant)
    guard !isEarly else { throw .oauth("slow_down", "the device polls too fast") }
    switch grant.outcome {
    case .pending: throw .oauth("authorization_pending", "the user has not answered yet")
    case .denied:
      tenant.signOn.deviceGrants[id] = nil
      throw .oauth("access_denied", "the user does not want it")
    case .approved(let session):
      tenant.signOn.deviceGrants[id] = nil
      let family = tenant.startFamily(of: session, scope: grant.scope)
      return try tenant.tokenAnswer(
        of: family,
        scope: family.scope,
        refreshToken: try tenant.firstRefreshToken(of: family)
      )
    }
  }
}
