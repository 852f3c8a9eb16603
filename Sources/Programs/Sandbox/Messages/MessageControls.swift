import EventLoop
import HTTPServer
import JSON

/// `/sandbox/messages`: the mails that users were sent, the oldest first.
enum MessageControls {
  static let routes: [Route<Endpoint>] = [.administrator("GET", "/sandbox/messages", list)]

  @EventLoop
  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let messages = tenant.messages.all.map { message in
      JSON.present([
        ("id", .id(message.id)), ("type", .choice(message.kind)), ("user", message.user.map { .id($0) }),
        ("username", message.user.flatMap { tenant.users[$0] }.map { .string($0.username) }),
        ("to", message.recipient.map { .string($0) }), ("flow", message.flow.map { .string($0) }),
        ("code", message.code.map { .string($0) }), ("suspendedId", message.suspendedID.map { .string($0) }),
        ("link", message.suspendedID.map { .string("\(tenant.url)/am/XUI/?suspendedId=\($0)") }),
      ])
    }
    return .json(200, ["messages": .array(messages)])
  }
}
