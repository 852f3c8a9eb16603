import JSON

extension Notification: Recorded {
  static let kind = "notification"

  var record: JSON {
    .present([
      ("id", .id(id)), ("device", .id(device)), ("user", user.map { .id($0) }), ("kind", .choice(kind)),
      ("sequence", .int(sequence)), ("token", .string(token)), ("deadline", .deadline(deadline)),
      ("authentication", authentication.map { .id($0) }), ("number", number?.record),
      ("state", .choice(state)), ("numberTriesLeft", .int(numberTriesLeft)),
      ("answerer", answerer.map { .string($0.text) }), ("lock", lock.map { .deadline($0) }),
    ])
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: Notification.self),
      let device = record.id("device", of: TrustedDevice.self),
      let kind = record.choice("kind", of: Kind.self), let sequence = record.int("sequence"),
      let token = record.text("token"), let deadline = record.deadline("deadline"),
      let state = record.choice("state", of: State.self),
      let numberTriesLeft = record.int("numberTriesLeft")
    else { return nil }
    self.init(
      id: id,
      device: device,
      user: record.id("user", of: User.self),
      kind: kind,
      sequence: sequence,
      token: token,
      deadline: deadline,
      authentication: record.id("authentication", of: DeviceAuthentication.self),
      number: record.record("number").flatMap { NumberMatch($0) },
      state: state,
      numberTriesLeft: numberTriesLeft,
      answerer: record.text("answerer").map { Answerer($0) },
      lock: record.deadline("lock")
    )
  }
}

extension Notification.Answerer {
  /// The answerer of that text; what is no other name is a device's.
  fileprivate init(_ text: String) {
    let others: [Self] = [.passcode, .relyingParty, .platform]
    self = others.first { $0.text == text } ?? .device(ID(text))
  }
}
