import EventLoop
import HTTPServer

@EventLoop
enum PushCredentialRoutes {
  private nonisolated static let all = "\(Tenant.managed)/applications/{application}/pushCredentials"

  static let routes: [Route<Endpoint>] =
    .collection(all, "pushCredential", credentials) + [
      .administrator("POST", all, create), .administrator("PUT", "\(all)/{pushCredential}", update),
      .administrator("DELETE", "\(all)/{pushCredential}", delete),
    ]

  private static func credentials(_ call: Call) throws(Refusal) -> [PushCredential] {
    call.tenant.pushCredentials(of: try call.application().id)
  }

  private static func create(_ call: Call) throws(Refusal) -> HTTPResponse {
    let body = try call.body()
    let (known, kind, now) = (try credentials(call), try kind(in: body), call.tenant.clock.now)
    guard !known.contains(where: { $0.type == kind }) else {
      throw body.invalid("type", "has a credential already", code: "UNIQUENESS_VIOLATION")
    }
    let credential = PushCredential(type: kind, of: try call.application().id, at: now)
    call.tenant.pushCredentials.put(credential)
    return call.shown(credential, 201)
  }

  private static func update(_ call: Call) throws(Refusal) -> HTTPResponse {
    var credential = try call.one("pushCredential", of: try credentials(call))
    let body = try call.body()
    guard try kind(in: body) == credential.type else { throw body.invalid("type", "cannot be changed") }
    credential.updatedAt = call.tenant.clock.now
    call.tenant.pushCredentials.put(credential)
    return call.shown(credential)
  }

  private static func delete(_ call: Call) throws(Refusal) -> HTTPResponse {
    call.tenant.pushCredentials[try call.one("pushCredential", of: try credentials(call)).id] = nil
    return .noContent
  }

  /// The kind that a request is of, which has all that the kind needs.
  private static func kind(in body: Members) throws(Refusal) -> PushCredential.Kind {
    guard let kind = try body.choice("type", of: PushCredential.Kind.self) else { throw body.missing("type") }
    for name in kind.secrets { _ = try body.requiredText(name, maximum: 16 * 1024) }
    return kind
  }
}
