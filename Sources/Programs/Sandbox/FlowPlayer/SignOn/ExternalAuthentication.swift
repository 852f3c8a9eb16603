import EventLoop
import HTTPServer
import JSON

/// `/{environment}/rp/authenticate`: another provider, where a user signs on in a browser that the flow does not know.
@EventLoop
enum ExternalAuthentication {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/rp/authenticate", show),
    .anyone("POST", "/{environment}/rp/authenticate", submit),
  ]

  /// The variable of the flow that is empty while it waits, and then says who has signed on.
  private static let variable = "external"

  private static func show(_ call: Call) throws(Refusal) -> HTTPResponse {
    page(of: try play(try call.queryParameters()["flowId"], call.tenant))
  }

  private static func submit(_ call: Call) throws(Refusal) -> HTTPResponse {
    let form = try call.form()
    let play = try play(form["flowId"], call.tenant)
    let user = call.tenant.user(named: form["username"] ?? "", password: form["password"] ?? "")
    guard let user else { return page(of: play, message: "The user name or the password is wrong.") }
    // The flow goes on when its own client asks next, since this browser has not its cookie.
    play.variables[variable] = .string(user.username)
    return HTMLPage(title: "Signed on", paragraphs: ["You can go back to the application."]).response
  }

  private static func play(_ id: String?, _ tenant: Tenant) throws(Refusal) -> FlowPlay {
    let found = tenant.plays.first { $0.id.text == id && $0.policy != nil && !$0.isOver }
    guard let found, found.variables[variable] == "" else { throw .notFound }
    return found
  }

  private static func page(of play: FlowPlay, message: String? = nil) -> HTTPResponse {
    HTMLPage(
      title: "Another provider",
      paragraphs: [message].compactMap(\.self),
      form: HTMLPage.Form(
        action: "\(play.tenant.authenticationURL)/rp/authenticate",
        fields: HTMLPage.Field.signOn("flowId", play.id.text),
        buttons: [HTMLPage.Button(label: "Sign on")]
      )
    ).response
  }
}
