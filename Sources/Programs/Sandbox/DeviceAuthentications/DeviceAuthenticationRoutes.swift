import EventLoop
import HTTPServer

@EventLoop
enum DeviceAuthenticationRoutes {
  private static let one = "/{environment}/deviceAuthentications/{deviceAuthentication}"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", one, read), .action("device.select", one, selectDevice),
    .action("otp.check", one, checkPasscode), .action("cancel.push.authentication", one, cancelPush),
  ]

  private static func read(_ call: Call) throws(Refusal) -> HTTPResponse {
    call.shown(try authentication(of: call))
  }

  private static func selectDevice(_ call: Call) throws(Refusal) -> HTTPResponse {
    var authentication = try openAuthentication(of: call)
    let body = try call.actionBody()
    guard let id = try body.reference("device", to: MFADevice.self) else { throw body.missing("device") }
    let device = try call.tenant.usableDevice(id.text, of: authentication)
    try call.tenant.select(device, in: &authentication)
    return call.shown(authentication)
  }

  private static func checkPasscode(_ call: Call) throws(Refusal) -> HTTPResponse {
    let authentication = try openAuthentication(of: call)
    let passcode = try call.actionBody().requiredText("otp", maximum: 16)
    return call.shown(try call.tenant.checkPasscode(passcode, in: authentication))
  }

  private static func cancelPush(_ call: Call) throws(Refusal) -> HTTPResponse {
    let authentication = try openAuthentication(of: call)
    guard try call.actionBody().requiredText("reason") == "CHANGE_DEVICE" else {
      throw .invalid("reason", "must be CHANGE_DEVICE")
    }
    guard authentication.status == .pushConfirmationRequired, let push = authentication.notification else {
      throw .invalidRequest("There is no push to cancel.")
    }
    call.tenant.withdraw(push, by: .relyingParty)
    return call.shown(call.tenant.deselect(authentication))
  }

  private static func authentication(of call: Call) throws(Refusal) -> DeviceAuthentication {
    let id = call.id("deviceAuthentication", of: DeviceAuthentication.self)
    guard let authentication = call.tenant.current(id) else { throw .notFound }
    return authentication
  }

  private static func openAuthentication(of call: Call) throws(Refusal) -> DeviceAuthentication {
    let authentication = try authentication(of: call)
    guard !authentication.isOver else { throw .invalidRequest("The device authentication is over.") }
    return authentication
  }
}
