import JSON

extension DeviceAuthentication: Recorded {
  static let kind = "device authentication"

  var record: JSON {
    .present([
      ("id", .id(id)), ("user", .id(user)), ("application", application.map { .id($0) }),
      ("clientContext", clientContext), ("confirmationInfo", confirmationInfo), ("title", .string(title)),
      ("body", .string(body)),
      ("createdAt", .instant(createdAt)), ("updatedAt", .instant(updatedAt)), ("status", .choice(status)),
      ("selected", selected.map { .id($0) }), ("notification", notification.map { .id($0) }),
      ("failure", failure?.json), ("policy", .id(policy)),
    ])
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: DeviceAuthentication.self),
      let user = record.id("user", of: User.self), let policy = record.id("policy", of: Policy.self),
      let title = record.text("title"),
      let body = record.text("body"), let createdAt = record.time("createdAt"),
      let updatedAt = record.time("updatedAt"), let status = record.choice("status", of: Status.self)
    else { return nil }
    self.init(
      id: id,
      user: user,
      application: record.id("application", of: Application.self),
      policy: policy,
      clientContext: record.members["clientContext"],
      confirmationInfo: record.members["confirmationInfo"],
      title: title,
      body: body,
      createdAt: createdAt,
      updatedAt: updatedAt,
      status: status,
      selected: record.id("selected", of: MobileDevice.self),
      notification: record.id("notification", of: Notification.self),
      failure: record.record("failure").flatMap { Failure($0) }
    )
  }
}
