import EventLoop
import HTTPServer
import JSON

/// The pages where a user signs on in a browser: `/{environment}/as/signon`.
enum PageRoutes {
  static let routes: [Route<Endpoint>] = [.anyone("POST", "/{environment}/as/signon", submit)]

  @EventLoop
  private static func submit(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let (tenant, form) = (call.tenant, try call.form())
    let id = ID<SignOnFlow>(form["flowId"] ?? "")
    // A form is about what its page showed, whatever has become of it.
    let shown = tenant.signOn.flows[id]?.status
    var flow = try tenant.flow(id, of: call.request)
    let target = flow.request.target
    guard target.mode == .query else { throw .invalidRequest("The sign-on is none by a page.") }
    guard form["decision"] != "cancel" else {
      tenant.signOn.flows[flow.id] = nil
      let error = PingOneError.oauth("access_denied", "the user does not want to sign on")
      return target.refusal(error, issuer: tenant.issuer)
    }
    let name = form["action"] ?? SignOnPage.firstAction(in: shown)
    guard name != SignOnPage.waiting else { return try tenant.page(of: flow) }
    guard let action = FlowAction.all.first(where: { $0.name == name }) else {
      throw .invalid("action", "is none")
    }
    do { try tenant.run(action, members(form), in: &flow) } catch {
      return try tenant.page(of: flow, message: error.shortMessage)
    }
    return try tenant.page(of: flow)
  }

  /// The fields of a form as the members that an action takes.
  private static func members(_ form: [String: String]) -> Members {
    var members: JSONObject = [:]
    for (name, value) in form {
      switch name {
      case "flowId", "action", "decision": break
      case "device": members[name] = ["id": .string(value)]
      case "accept": members[name] = .bool(value == "true")
      default: members[name] = .string(value)
      }
    }
    return Members(members)
  }
}
