import EventLoop
import JSON

/// Somebody who has entered the console, and what they ask.
@EventLoop
struct Visit {
  let call: Call
  let session: ConsoleSession

  var tenant: Tenant { call.tenant }

  /// Asks the management interface of the environment.
  @discardableResult
  func ask(_ method: String, _ path: String, _ body: JSON? = nil, action: String? = nil)
    async throws(Refusal) -> JSON
  {
    let environment = "/v1/environments/\(tenant.environment.id.text)"
    return try await call.ask(method, environment + path, body, action: action)
  }

  /// A form that leads nowhere but here, with what shows that it is one of the session's.
  func form(_ action: String, _ button: String, class kind: String? = nil, _ fields: [HTML] = []) -> HTML {
    let token = HTML.hidden(ConsoleForm.token, session.formToken)
    let submit = HTML.element("button", ["type": "submit"], HTML(button))
    return .element(
      "form",
      ["method": "post", "action": action, "class": kind],
      of: [token] + fields + [submit]
    )
  }

  /// A form of nothing but a button.
  func button(_ label: String, _ action: String) -> HTML {
    form(action, label, class: "button")
  }
}
