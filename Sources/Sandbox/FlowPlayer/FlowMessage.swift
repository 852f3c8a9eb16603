import EventLoop
import HTTPServer
import JSON

/// What a flow has sent a user by mail, for whoever plays the user.
struct FlowMessage: Stored {
  let id = ID<FlowMessage>.random()
  let recipient: String
  let flow: String
  /// The code that the message has, or nothing.
  let code: String?
  /// The identifier of a suspended journey, or nothing.
  let suspendedID: String?

  static let maximumCount = 100
}

/// `/sandbox/messages`: the mails that flows have sent, the oldest first.
enum FlowMessageControls {
  static let routes: [Route<Endpoint>] = [.administrator("GET", "/sandbox/messages", list)]

  @EventLoop
  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let messages = call.tenant.flowMessages.all.map { message in
      JSON.present([
        ("id", .id(message.id)), ("to", .string(message.recipient)), ("flow", .string(message.flow)),
        ("code", message.code.map { .string($0) }), ("suspendedId", message.suspendedID.map { .string($0) }),
        ("link", message.suspendedID.map { .string("\(call.tenant.url)/am/XUI/?suspendedId=\($0)") }),
      ])
    }
    return .json(200, ["messages": .array(messages)])
  }
}
