internal import Authenticator
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import WebAddress

/// What each status of PingOne's flows interface asks of a person, and how the answer is sent.
enum SignOnPolicy {
  /// A request that answers a step.
  struct Request {
    let url: WebURL
    let mediaType: String
    let body: [UInt8]
  }

  /// One status that can be answered.
  private struct Step: Sendable {
    let statuses: Set<String>
    let action: String
    let title: String
    let label: String
    let collectors: [Node.Collector]
  }

  private static let steps = [
    Step(
      statuses: ["USERNAME_PASSWORD_REQUIRED", "SIGN_ON_REQUIRED", "PASSWORD_REQUIRED"],
      action: "usernamePassword.check",
      title: "Sign On",
      label: "Sign On",
      collectors: [
        Node.Collector(
          key: "username",
          type: "TextCollector",
          label: "Username",
          isRequired: true,
          isSecret: false
        ),
        Node.Collector(
          key: "password",
          type: "PasswordCollector",
          label: "Password",
          isRequired: true,
          isSecret: true
        ),
      ]
    )
  ]

  private static let links = ["password.forgot": "Forgot password"]

  private static func step(for flow: Flow) -> Step? {
    steps.first { $0.statuses.contains(flow.status) && flow.links[$0.action] != nil }
  }

  /// The step as a person sees it; `nil` when its status is not one that can be answered here.
  @EventLoop
  static func node(for flow: Flow, of login: Login, message: String? = nil) -> Node? {
    guard let step = step(for: flow) else { return nil }
    var node = Node(login: login.id, outcome: message == nil ? .next : .error, method: "signon")
    node.title = step.title
    node.collectors = step.collectors
    node.actions = [Node.Action(key: step.action, label: step.label, kind: .submit)]
    node.actions += links.keys.sorted().filter { flow.links[$0] != nil }.map {
      Node.Action(key: $0, label: links[$0] ?? $0, kind: .link)
    }
    node.message = message
    return node
  }

  /// The request that answers a step with these values.
  static func request(for flow: Flow, values: [String: String], action: String?) throws -> Request {
    guard let step = step(for: flow), let url = flow.links[step.action] else { throw RPCError.conflict }
    guard action == nil || action == step.action else { throw RPCError.invalidParameter("action") }
    let keys = Set(step.collectors.map(\.key))
    guard Set(values.keys).isSubset(of: keys) else { throw RPCError.invalidParameter("values") }
    for collector in step.collectors where collector.isRequired && (values[collector.key] ?? "").isEmpty {
      throw RPCError.invalidParameter("values")
    }
    let body = JSON.object(JSONObject(step.collectors.map { ($0.key, .string(values[$0.key] ?? "")) }))
    return Request(
      url: url,
      mediaType: "application/vnd.pingidentity.\(step.action)+json",
      body: body.serialized
    )
  }

  /// What to tell a person whose input the issuer refused; `nil` when it refused something else.
  static func wrongInput(_ error: JSON) -> String? {
    guard let details = error["details"]?.array, let detail = details.first else { return nil }
    if ["username", "password"].contains(detail["target"]?.string ?? "") {
      return "the username or password is not right"
    }
    return (detail["message"]?.string ?? error["message"]?.string).map { SafeText.clean($0) }
  }
}
