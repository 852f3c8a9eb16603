import EventLoop
import HTTPServer

/// A part of the console that its navigation names.
@EventLoop
struct ConsoleSection {
  let title: String
  let path: String
  let routes: [Route<Endpoint>]

  nonisolated static let base = "/console"

  static let all: [ConsoleSection] = [.users, .devices, .signOns, .codes, .settings, .messages, .clock]

  static let routes = ConsoleEntrance.routes + all.flatMap(\.routes)
}
