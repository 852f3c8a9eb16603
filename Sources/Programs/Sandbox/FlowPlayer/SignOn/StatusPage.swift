import EventLoop
import HTTPServer
import JSON

/// A page that requires input from the user, with one of PingOne's statuses: JSON for a client, HTML for a
/// browser.
struct StatusPage: Sendable {
  private let status: String
  private let links: FlowTemplate
  private let embedded: FlowTemplate
  private let text: FlowTemplate
  private let fields: FlowTemplate
  /// Buttons of the page in a browser.
  private let buttons: [(label: String, action: String)]

  /// Action of a form that only checks for progress.
  static let waiting = "wait"

  static let kind = FlowPageKind("status", stays: true) { members throws(FlowFileError) in
    let page = try StatusPage(&members)
    return { play in play.isInBrowser ? page.html(of: play) : page.json(of: play) }
  }

  private init(_ members: inout FlowMembers) throws(FlowFileError) {
    status = try members.required("status").text()
    links = try members.template("links") ?? FlowTemplate([:])
    embedded = try members.template("embedded") ?? FlowTemplate([:])
    text = try members.template("text") ?? FlowTemplate("")
    fields = try members.template("fields") ?? FlowTemplate([])
    buttons =
      try members.optional("buttons")?.elements().map { button throws(FlowFileError) in
        let parts = try button.elements(2)
        return (label: try parts[0].text(), action: try parts[1].text())
      } ?? []
  }

  @EventLoop
  private func json(of play: FlowPlay) -> HTTPResponse {
    let attempt = play.attempt
    return play.response(
      status: status,
      JSONObject(of: [
        "selectedDevice": attempt?.selected?.reference,
        "numberMatching": attempt.flatMap { play.tenant.numberMatching(of: $0) },
      ]),
      links: links.object(in: play),
      embedded: embedded.object(in: play)
    )
  }

  @EventLoop
  private func html(of play: FlowPlay) -> HTTPResponse {
    let hidden = HTMLPage.Field(name: "flowId", kind: "hidden", value: play.id.text)
    let buttons = buttons.map { HTMLPage.Button(label: $0.label, name: "action", value: $0.action) }
    play.firstButton = buttons.first?.value ?? Self.waiting
    return HTMLPage(
      title: "Sign on",
      paragraphs: [play.message, "Sign on to \(play.tenant.application.name).", text.text(in: play)]
        .compactMap(\.self).filter { !$0.isEmpty },
      link: links.object(in: play).members.first?.value.string,
      form: HTMLPage.Form(
        action: "\(play.tenant.issuer)/signon",
        fields: [hidden] + (fields.json(in: play).array ?? []).flatMap { play.fields($0) },
        buttons: buttons + [HTMLPage.Button(label: "Cancel", name: "decision", value: "cancel")]
      )
    ).response.with(cookie: play.turn.token, in: play.tenant.environment)
  }
}

extension FlowPlay {
  fileprivate var attempt: DeviceAuthentication? {
    authentication.flatMap { tenant.authentications[$0] }.flatMap { $0.isOver ? nil : $0 }
  }

  /// Returns the input fields for a field of a flow file.
  ///
  /// The kind `devices` has one input field for each device.
  fileprivate func fields(_ json: JSON) -> [HTMLPage.Field] {
    let (name, kind) = (json["name"]?.string ?? "", json["kind"]?.string ?? "text")
    guard kind == "devices" else {
      let (label, value) = (json["label"]?.string, json["value"]?.string ?? "")
      return [HTMLPage.Field(name: name, label: label, kind: kind, value: value)]
    }
    return (attempt.map { tenant.usableDevices(for: $0) } ?? []).map { device in
      HTMLPage.Field(
        name: name,
        label: tenant.title(of: device),
        kind: "radio",
        value: device.id.text
      )
    }
  }

  /// Returns the state of the sign-on for a client, with the cookie that the client must send back.
  func response(status: String, _ more: JSONObject, links: JSONObject = [:], embedded: JSONObject = [:])
    -> HTTPResponse
  {
    let address = "\(tenant.authenticationURL)/flows/\(id.text)"
    let actions = JSONObject((page?.actions ?? []).map { ($0, .string(address)) })
    let user = user.flatMap { tenant.users[$0] }.map { user in
      JSON.of(["id": user.id, "username": user.username, "name": user.name])
    }
    let common = JSONObject(of: [
      "application": JSON.of(["id": tenant.application.id, "name": tenant.application.name]), "user": user,
      "devices": attempt.map { tenant.usableDevices(for: $0).map { tenant.choice($0) } },
    ])
    let body = JSON.of(
      [
        "_links": JSON.links(["self": address], adding: actions.adding(links)),
        "_embedded": common.adding(embedded), "id": id, "status": status,
        "environment": tenant.environment.id.reference, "session": sessionID.reference,
        "resumeUrl": "\(tenant.issuer)/resume?flowId=\(id.text)",
      ],
      adding: more
    )
    return .json(200, body).with(cookie: turn.token, in: tenant.environment)
  }
}
