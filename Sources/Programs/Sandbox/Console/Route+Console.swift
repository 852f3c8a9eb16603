import EventLoop
import HTTPServer

extension Route where Endpoint == Sandbox.Endpoint {
  /// A page of the console, for whoever has entered.
  static func page(
    _ pattern: String,
    _ show: @escaping @EventLoop @Sendable (Visit) throws(Refusal) -> ConsolePage
  ) -> Route {
    .console("GET", pattern) { call throws(Refusal) in
      guard let session = call.consoleSession else { return .leading(to: ConsoleEntrance.path) }
      return try show(Visit(call: call, session: session)).response(in: call, session)
    }
  }

  /// What a form of a page does, after which it leads to a path.
  static func form(
    _ pattern: String,
    _ act: @escaping @EventLoop @Sendable (Visit, ConsoleForm) async throws(Refusal) -> String
  ) -> Route {
    .console("POST", pattern) { call throws(Refusal) in
      guard let session = call.consoleSession else { return .leading(to: ConsoleEntrance.path) }
      let form = ConsoleForm(try call.form())
      guard isSameSecret(form.text(ConsoleForm.token) ?? "", session.formToken) else {
        throw Refusal(403, "OTHER_FORM", "The form is not one of this session's.")
      }
      return .leading(to: try await act(Visit(call: call, session: session), form))
    }
  }

  /// What only this machine's own pages may ask; a refusal is a page too.
  static func console(_ method: String, _ pattern: String, _ run: @escaping Endpoint.Run) -> Route {
    .anyone(method, pattern) { call in
      do throws(Refusal) {
        try call.requireOwnHost()
        if method == "POST" { try call.requireOwnOrigin() }
        return try await run(call)
      } catch { return ConsolePage(error).response(in: call, call.consoleSession, status: error.status) }
    }
  }
}
