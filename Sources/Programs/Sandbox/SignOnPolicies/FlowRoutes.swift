import EventLoop
import HTTPServer
import JSON

/// The steps of a sign-on: `/{environment}/flows/{flow}` and `/{environment}/as/resume`.
@EventLoop
enum FlowRoutes {
  static let routes: [Route<Endpoint>] =
    [
      .anyone("GET", "/{environment}/flows/{flow}", read),
      .anyone("GET", "/{environment}/as/resume", resume),
    ] + FlowAction.all.map { route(to: $0) }

  private static func route(to action: FlowAction) -> Route<Endpoint> {
    .anyone(
      "POST",
      "/{environment}/flows/{flow}",
      mediaType: "application/vnd.pingidentity.\(action.name)+json"
    ) { call throws(PingOneError) in
      var flow = try flow(of: call)
      let body = call.request.body.isEmpty ? Members() : try call.actionBody()
      try call.tenant.run(action, body, in: &flow)
      return call.tenant.response(with: flow)
    }
  }

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    call.tenant.response(with: try flow(of: call))
  }

  private static func flow(of call: Call) throws(PingOneError) -> SignOnFlow {
    try call.tenant.flow(call.id("flow", of: SignOnFlow.self), of: call.request)
  }

  private static func resume(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let flow = try tenant.flow(ID(call.query("flowId") ?? ""), of: call.request)
    guard flow.status == .completed, let session = tenant.sessions[flow.session] else {
      throw .invalidRequest("The sign-on is not completed.")
    }
    guard flow.request.target.mode == .flow else { return try tenant.conclude(flow) }
    tenant.signOn.flows[flow.id] = nil
    return .json(
      200,
      [
        "id": .id(flow.id), "status": "COMPLETED", "environment": .reference(tenant.environment.id),
        "session": .reference(flow.session),
        "authorizeResponse": .texts(try tenant.authorizeResponse(to: flow.request, for: session)),
      ]
    )
  }
}
