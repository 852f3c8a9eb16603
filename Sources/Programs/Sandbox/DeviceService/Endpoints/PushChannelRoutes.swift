import EventLoop
import HTTPServer
import JSON

/// `PUT /push`: a device says how it wants its pushes, or that it wants none.
enum PushChannelRoutes {
  static let routes: [Route<DeviceEndpoint>] = [.device("PUT", "/push", set)]

  @EventLoop
  private static func set(_ call: DeviceCall) throws(Refusal) -> SealedResponse {
    var device = try call.sender()
    guard let provider = PushChannel.Provider(rawValue: try call.body.requiredText("provider")) else {
      throw .invalid("provider", "is not a push provider")
    }
    let channel = PushChannel(
      provider: provider,
      token: try call.body.text("token", maximum: 4096),
      environment: try call.body.text("environment", maximum: 32),
      isAllowed: try call.body.requiredBool("allowed")
    )
    device.push = channel
    call.tenant.trustedDevices.put(device)
    return SealedResponse(200, ["pushEnabled": .bool(channel.isEnabled)])
  }
}
