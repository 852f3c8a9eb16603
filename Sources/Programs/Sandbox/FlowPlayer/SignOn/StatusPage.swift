import EventLoop
import HTTPServer
import JSON

/// What a sign-on needs of its user now, by one of PingOne's statuses: JSON for a client, a page for a browser.
struct StatusPage: Sendable {
  private let status: String
  private let links: FlowTemplate
  private let embedded: FlowTemplate
  private let text: FlowTemplate
  private let fields: FlowTemplate
  /// What a browser shows to press, by its label.
  private let buttons: [(label: String, action: String)]

  /// The action of a form that only wants to know how it goes on.
  static let waiting = "wait"

  static let kind = FlowPageKind("status", stays: true) { members throws(FlowFileError) in
    let page = try StatusPage(&members)
    return { play in play.isInBrowser ? page.html(of: play) : page.json(of: play) }
  }

  private init(_ members: inout FlowMembers) throws(FlowFileError) {
    status = try members.required("status").text()
    links = try members.optional("links")?.template() ?? FlowTemplate([:])
    embedded = try members.optional("embedded")?.template() ?? FlowTemplate([:])
    text = try members.optional("text")?.template() ?? FlowTemplate("")
    fields = try members.optional("fields")?.template() ?? FlowTemplate([])
    buttons =
      try members.optional("buttons")?.elements().map { button throws(FlowFileError) in
        let parts = try button.elements(2)
        return (label: try parts[0].text(), action: try parts[1].text())
      } ?? []
  }

  @EventLoop
  private func json(of play: FlowPlay) -> HTTPResponse {
    let attempt = play.attempt
    let links = (links.json(in: play).object?.members ?? []).map { ($0.name, $0.value.string ?? "") }
    return play.answer(
      status: status,
      [
        ("selectedDevice", attempt?.selected.map { .reference($0) }),
        ("numberMatching", attempt.flatMap { play.tenant.numberMatching(of: $0) }),
      ],
      links: links,
      embedded: embedded.json(in: play).object ?? [:]
    )
  }

  @EventLoop
  private func html(of play: FlowPlay) -> HTTPResponse {
    let described = (fields.json(in: play).array ?? []).filter { $0["kind"] != "devices" }
    let hidden = HTMLPage.Field(name: "flowId", kind: "hidden", value: play.id.text)
    let buttons = buttons.map { HTMLPage.Button(label: $0.label, name: "action", value: $0.action) }
    play.firstButton = buttons.first?.value ?? Self.waiting
    return HTMLPage(
      title: "Sign on",
      paragraphs: [play.message, "Sign on to \(play.tenant.application.name).", text.text(in: play)]
        .compactMap(\.self).filter { !$0.isEmpty },
      link: links.json(in: play).object?.members.first?.value.string,
      form: HTMLPage.Form(
        action: "\(play.tenant.issuer)/signon",
        fields: [hidden] + described.map { HTMLPage.Field($0) },
        choices: described.count < (fields.json(in: play).array ?? []).count ? play.deviceChoices : [],
        buttons: buttons + [HTMLPage.Button(label: "Cancel", name: "decision", value: "cancel")]
      )
    ).response.with(cookie: play.turn.token, in: play.tenant.environment)
  }
}

extension HTMLPage.Field {
  /// A field as a flow file describes it.
  fileprivate init(_ json: JSON) {
    self.init(
      name: json["name"]?.string ?? "",
      label: json["label"]?.string,
      kind: json["kind"]?.string ?? "text",
      value: json["value"]?.string ?? ""
    )
  }
}

extension FlowPlay {
  /// The attempt to have a device confirm that is under way.
  fileprivate var attempt: DeviceAuthentication? {
    authentication.flatMap { tenant.authentications[$0] }.flatMap { $0.isOver ? nil : $0 }
  }

  fileprivate var deviceChoices: [HTMLPage.Choice] {
    (attempt.map { tenant.usableDevices(for: $0) } ?? []).map { device in
      let name = device.nickname ?? tenant.trustedDevices[device.device]?.name ?? device.id.text
      return HTMLPage.Choice(name: "device", value: device.id.text, label: name)
    }
  }

  /// What a client is told of the sign-on, with the cookie that has to come back.
  func answer(
    status: String,
    _ more: [(String, JSON?)],
    links: [(String, String)] = [],
    embedded: JSONObject = [:]
  ) -> HTTPResponse {
    let address = "\(tenant.authenticationURL)/flows/\(id.text)"
    let actions = (page?.actions ?? []).map { ($0, address) }
    let user = user.flatMap { tenant.users[$0] }.map { user in
      JSON.present([("id", .id(user.id)), ("username", .string(user.username)), ("name", user.name)])
    }
    let devices = attempt.map { JSON.array(tenant.usableDevices(for: $0).map { tenant.choice($0) }) }
    let application: JSON = ["id": .id(tenant.application.id), "name": .string(tenant.application.name)]
    return HTTPResponse.json(
      200,
      .present(
        [
          ("_links", .links([("self", address)] + actions + links)),
          (
            "_embedded",
            .present(
              [("application", application), ("user", user), ("devices", devices)]
                + embedded.members.map { ($0.name, $0.value) }
            )
          ),
          ("id", .id(id)), ("status", .string(status)), ("environment", .reference(tenant.environment.id)),
          ("session", .reference(sessionID)),
          ("resumeUrl", .string("\(tenant.issuer)/resume?flowId=\(id.text)")),
        ] + more
      )
    ).with(cookie: turn.token, in: tenant.environment)
  }
}
