import JSON
import Time

extension Tenant {
  private static let testSeconds = 120
  private static let cancelSeconds = 150

  func sendPush(for authentication: DeviceAuthentication, to device: MobileDevice) throws(Refusal)
    -> Notification
  {
    let application = applications[device.application] ?? application
    let rules = policy(authentication.policy).rules(for: application.id)
    let number = rules.numberMatching ? NumberMatch.random(application.settings.numberMatching) : nil
    return try send(
      .authentication,
      to: device.device,
      about: device.user,
      seconds: rules.pushTimeout.seconds,
      authentication: authentication.id,
      number: number,
      claims: [
        ("title", .string(authentication.title)), ("body", .string(authentication.body)),
        ("category", "BANNER_BUTTONS"), ("clientContext", authentication.clientContext),
        ("applicationContext", ["id": .id(application.id), "name": .string(application.name)]),
        ("numberMatching", number?.claim),
      ]
    )
  }

  func sendSilent(for authentication: DeviceAuthentication, to device: MobileDevice) throws(Refusal)
    -> Notification
  {
    let rules = policy(authentication.policy).rules(for: device.application)
    return try send(
      .silent,
      to: device.device,
      about: device.user,
      seconds: rules.pushTimeout.seconds,
      authentication: authentication.id,
      claims: []
    )
  }

  /// Sends a push that only shows that pushes arrive.
  func sendTest(_ id: ID<Notification>, to device: ID<TrustedDevice>, about user: ID<User>) throws(Refusal) {
    _ = try send(.test, id, to: device, about: user, seconds: Self.testSeconds, claims: [("title", "Test")])
  }

  func withdraw(_ id: ID<Notification>, by answerer: Notification.Answerer) {
    guard var notification = notifications[id], state(of: notification) == .pending else { return }
    notification.state = .cancelled
    notification.answerer = answerer
    notifications.put(notification)
    guard let user = notification.user else { return }
    // Without the signed notice the device learns of it when it answers.
    _ = try? send(
      .cancel,
      to: notification.device,
      about: user,
      seconds: Self.cancelSeconds,
      claims: [("cancels", .id(id))]
    )
  }

  func policy(of notification: Notification) -> Policy {
    notification.authentication.flatMap { authentications[$0] }.map { policy($0.policy) } ?? policy
  }

  func state(of notification: Notification) -> Notification.State {
    notification.state == .pending && clock.isOver(notification.deadline) ? .expired : notification.state
  }

  /// Signs a push with the claims of its kind, keeps it for the device, and wakes the device's poll.
  private func send(
    _ kind: Notification.Kind,
    _ id: ID<Notification> = .random(),
    to device: ID<TrustedDevice>,
    about user: ID<User>,
    seconds: Int,
    authentication: ID<DeviceAuthentication>? = nil,
    number: NumberMatch? = nil,
    claims: [(String, JSON?)]
  ) throws(Refusal) -> Notification {
    let now = clock.now
    let common: [(String, JSON?)] = [
      ("iss", .string(url)), ("aud", .id(device)), ("jti", .id(id)), ("iat", .int(now.seconds)),
      ("exp", .int(now.adding(seconds: seconds).seconds)), ("type", .string(kind.rawValue)),
      ("sub", .id(user)), ("env", .id(environment.id)), ("timeout", .int(seconds)),
    ]
    let token = try platformKey.sign(.present(common + claims), type: "push+jwt")
    let notification = Notification(
      id: id,
      device: device,
      user: user,
      kind: kind,
      sequence: notifications.nextSequence(),
      token: token,
      deadline: clock.deadline(in: seconds),
      authentication: authentication,
      number: number,
      state: kind == .authentication || kind == .silent ? .pending : .done,
      numberTriesLeft: number?.tries ?? 0
    )
    notifications.put(notification)
    bells.ring(for: device)
    return notification
  }
}
