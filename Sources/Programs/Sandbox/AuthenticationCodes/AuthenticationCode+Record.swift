import JSON

extension AuthenticationCode: Recorded {
  static let kind = "authentication code"

  var record: JSON {
    .present([
      ("id", .id(id)), ("code", .string(code)), ("application", .id(application)),
      ("clientContext", clientContext), ("needsApproval", .bool(needsApproval)),
      ("lifeTime", .span(lifeTime)),
      ("deadline", .deadline(deadline)), ("createdAt", .instant(createdAt)),
      ("updatedAt", .instant(updatedAt)), ("status", .choice(status)), ("user", user.map { .id($0) }),
      ("device", device.map { .id($0) }),
    ])
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: AuthenticationCode.self), let code = record.text("code"),
      let application = record.id("application", of: Application.self),
      let needsApproval = record.bool("needsApproval"), let lifeTime = record.span("lifeTime"),
      let deadline = record.deadline("deadline"), let createdAt = record.time("createdAt"),
      let updatedAt = record.time("updatedAt"), let status = record.choice("status", of: Status.self)
    else { return nil }
    self.init(
      id: id,
      code: code,
      application: application,
      clientContext: record.members["clientContext"],
      needsApproval: needsApproval,
      lifeTime: lifeTime,
      deadline: deadline,
      createdAt: createdAt,
      updatedAt: updatedAt,
      status: status,
      user: record.id("user", of: User.self),
      device: record.id("device", of: TrustedDevice.self)
    )
  }
}
