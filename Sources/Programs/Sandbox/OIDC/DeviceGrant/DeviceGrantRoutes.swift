import EventLoop
import HTTPServer
import JSON

/// `device_authorization`: a device asks for its two codes.
enum DeviceGrantRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("POST", "/{environment}/as/device_authorization", start)
  ]

  @EventLoop
  private static func start(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let scope = try tenant.scope(try call.clientForm()["scope"])
    let (code, seconds) = (randomText(43, of: tokenAlphabet), tenant.oidcSettings.deviceCodeSeconds)
    let grant = DeviceGrant(
      id: try DeviceGrant.id(of: code),
      userCode: DeviceGrant.randomUserCode(),
      scope: scope,
      deadline: tenant.clock.deadline(in: seconds),
      interval: tenant.oidcSettings.deviceInterval
    )
    tenant.signOn.deviceGrants.put(grant, keeping: DeviceGrant.maximumCount)
    let address = "\(tenant.authenticationURL)/device"
    return .plain(
      200,
      [
        "device_code": .string(code), "user_code": .string(grant.userCode),
        "verification_uri": .string(address),
        "verification_uri_complete": .string("\(address)?user_code=\(grant.userCode)"),
        "expires_in": .int(seconds), "interval": .int(grant.interval),
      ]
    )
  }
}
