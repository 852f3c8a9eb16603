import EventLoop
import HTTPServer

/// A part of the console that its navigation names.
@EventLoop
struct ConsoleSection {
  let title: String
  let path: String
  let routes: [Route<Endpoint>]

  nonisolated static let base = "/console"

  static let all: [ConsoleSection] = [.users, .devices, .signOns, .codes, .policies, .audit, .clock]

  static let routes = ConsoleEntrance.routes + all.flatMap(\.routes)
}

/// Somebody who has entered, and what they ask.
@EventLoop
struct Visit {
  let call: Call
  let session: ConsoleSession

  var tenant: Tenant { call.tenant }
}

extension Route where Endpoint == Sandbox.Endpoint {
  /// A page of the console, for whoever has entered.
  static func page(
    _ pattern: String,
    _ show: @escaping @EventLoop @Sendable (Visit) throws(Refusal) -> ConsolePage
  ) -> Route {
    .anyone("GET", pattern) { call in
      do throws(Refusal) {
        try call.requireOwnHost()
        guard let session = call.consoleSession else { return .leading(to: ConsoleEntrance.path) }
        return try show(Visit(call: call, session: session)).response(in: call, session)
      } catch { return ConsolePage(error).response(in: call, nil, status: error.status) }
    }
  }

  /// What a form of a page does, after which it leads to a path.
  static func form(
    _ pattern: String,
    _ act: @escaping @EventLoop @Sendable (Visit, ConsoleForm) async throws(Refusal) -> String
  ) -> Route {
    .anyone("POST", pattern) { call in
      do throws(Refusal) {
        try call.requireOwnHost()
        try call.requireOwnOrigin()
        guard let session = call.consoleSession else { return .leading(to: ConsoleEntrance.path) }
        let form = ConsoleForm(try call.form())
        guard isSameSecret(form.text(ConsoleForm.token) ?? "", session.formToken) else {
          throw Refusal(403, "OTHER_FORM", "The form is not one of this session's.")
        }
        return .leading(to: try await act(Visit(call: call, session: session), form))
      } catch { return ConsolePage(error).response(in: call, call.consoleSession, status: error.status) }
    }
  }
}
