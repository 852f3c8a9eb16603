import HTTPServer
import JSON

extension Tenant {
  /// A flow as its client sees it, with the cookie that has to come back.
  func response(with flow: SignOnFlow) -> HTTPResponse {
    HTTPResponse.json(
      200,
      .present(
        [
          ("_links", .links(links(of: flow))), ("_embedded", .present(embedded(in: flow))),
          ("id", .id(flow.id)), ("status", flow.status.map { .choice($0) }),
          ("environment", .reference(environment.id)), ("session", .reference(flow.session)),
          ("resumeUrl", .string("\(issuer)/resume?flowId=\(flow.id.text)")),
          ("error", flow.failure?.json),
        ] + deviceMembers(of: flow)
      )
    ).with(cookie: flow.sessionToken, in: environment)
  }

  private func links(of flow: SignOnFlow) -> [(String, String)] {
    let address = "\(authenticationURL)/flows/\(flow.id.text)"
    let actions = FlowAction.all.filter { action in flow.status.map { action.statuses.contains($0) } ?? false
    }
    var links = [("self", address)] + actions.map { ($0.name, address) }
    if flow.status == .externalAuthenticationRequired {
      links.append(("authenticate", externalAddress(of: flow)))
    }
    return links
  }

  private func embedded(in flow: SignOnFlow) -> [(String, JSON?)] {
    let user = flow.user.flatMap { users[$0] }.map { user in
      JSON.present([("id", .id(user.id)), ("username", .string(user.username)), ("name", user.name)])
    }
    return [
      ("application", ["id": .id(application.id), "name": .string(application.name)]), ("user", user),
      ("devices", embeddedDevices(in: flow)), ("attributes", askedAttributes(in: flow)),
      ("agreement", agreement(in: flow)),
    ]
  }
}
