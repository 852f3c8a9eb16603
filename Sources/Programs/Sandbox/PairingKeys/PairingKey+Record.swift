import JSON

extension PairingKey: Recorded {
  static let kind = "pairing key"

  var record: JSON {
    .present([
      ("id", .id(id)), ("user", .id(user)), ("code", .string(code)),
      ("applications", .strings(applications.map(\.text))), ("policy", .id(policy)),
      ("geography", .choice(geography)), ("deadline", .deadline(deadline)),
      ("createdAt", .instant(createdAt)),
      ("updatedAt", .instant(updatedAt)), ("status", .choice(status)),
      ("failure", failure?.json),
    ])
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: PairingKey.self), let user = record.id("user", of: User.self),
      let code = record.text("code"), let policy = record.id("policy", of: Policy.self),
      let geography = record.choice("geography", of: Geography.self),
      let deadline = record.deadline("deadline"), let createdAt = record.time("createdAt"),
      let updatedAt = record.time("updatedAt"), let status = record.choice("status", of: Status.self)
    else { return nil }
    self.init(
      id: id,
      user: user,
      code: code,
      applications: (record.members["applications"]?.array ?? []).compactMap { $0.string.map { ID($0) } },
      policy: policy,
      geography: geography,
      deadline: deadline,
      createdAt: createdAt,
      updatedAt: updatedAt,
      status: status,
      failure: record.record("failure").flatMap { Failure($0) }
    )
  }
}
