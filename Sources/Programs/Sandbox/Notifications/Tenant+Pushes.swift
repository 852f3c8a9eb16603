import JSON
import Time

extension Tenant {
  /// Sends a push that asks a user for a decision on a sign-on, or with `silent` only checks the device.
  func sendPush(
    _ kind: Notification.Kind = .authentication,
    for authentication: DeviceAuthentication,
    to device: MFADevice
  ) throws(ErrorResponse) -> Notification {
    guard let mobile = device.mobile else { throw .unexpected }
    let (user, seconds) = (device.user, policy.pushTimeout.seconds)
    guard kind == .authentication else {
      return try send(kind, to: mobile.device, about: user, seconds, authentication)
    }
    let hasNumber = authentication.asksForNumber ?? policy.numberMatching
    let number = hasNumber ? NumberMatch.random(application.numberMatching) : nil
    let claims = JSONObject(of: [
      "title": authentication.title, "body": authentication.body, "category": "BANNER_BUTTONS",
      "clientContext": authentication.clientContext, "numberMatching": number?.claim,
      "applicationContext": JSON.of(["id": application.id, "name": application.name]),
    ])
    return try send(kind, to: mobile.device, about: user, seconds, authentication, number, claims: claims)
  }

  func sendTest(_ id: ID<Notification>, to device: ID<TrustedDevice>, about user: ID<PlatformUser>)
    throws(ErrorResponse)
  {
    _ = try send(.test, id, to: device, about: user, 120, claims: ["title": "Test"])
  }

  /// Cancels a push without an answer and notifies the device.
  func withdraw(_ id: ID<Notification>, by answerer: Notification.Answerer) {
    guard var notification = notifications[id], state(of: notification) == .pending else { return }
    notification.state = .cancelled
    notification.answerer = answerer
    notifications.put(notification)
    guard let user = notification.user else { return }
    let claims: JSONObject = ["cancels": id.json]
    // If the notice cannot be signed, the device learns of the cancellation when it answers.
    _ = try? send(.cancel, to: notification.device, about: user, 150, claims: claims)
  }

  /// Expires notifications that have reached their deadline, in the order of the deadlines, so that the next
  /// request sees the result.
  func settleExpired() {
    for var notification in notifications.takeExpired(by: clock) {
      notification.state = .expired
      notifications.put(notification)
      _ = countMiss(notification, at: notification.deadline)
      concludeAuthentication(of: notification)
    }
  }

  func state(of notification: Notification) -> Notification.State {
    notification.state == .pending && clock.isOver(notification.deadline) ? .expired : notification.state
  }

  /// Signs a push with the claims of its kind, stores it for the device, and wakes the device's poll.
  private func send(
    _ kind: Notification.Kind,
    _ id: ID<Notification> = .random(),
    to device: ID<TrustedDevice>,
    about user: ID<PlatformUser>,
    _ seconds: Int,
    _ authentication: DeviceAuthentication? = nil,
    _ number: NumberMatch? = nil,
    claims: JSONObject = [:]
  ) throws(ErrorResponse) -> Notification {
    let now = clock.now
    let common = JSONObject(of: [
      "iss": url, "aud": device, "jti": id, "iat": now.seconds, "exp": now.adding(seconds: seconds).seconds,
      "type": kind, "sub": user, "env": self.environment.id, "timeout": seconds,
    ])
    let token = try self.platformKey.sign(.object(common.adding(claims)), type: "push+jwt")
    let notification = Notification(
      id: id,
      device: device,
      user: user,
      kind: kind,
      sequence: notifications.nextSequence(),
      token: token,
      deadline: clock.deadline(in: seconds),
      authentication: authentication?.id,
      number: number,
      state: kind == .authentication || kind == .silent ? .pending : .done,
      numberTriesLeft: number?.tries ?? 0
    )
    notifications.put(notification)
    bells.ring(for: device)
    return notification
  }
}

extension Tenant {
  /// Returns the reason why no push can reach a device, with an error code for pairings; `nil` if one can.
  func pushObstacle(of device: TrustedDevice) -> FailureReason? {
    guard policy.isPushEnabled else { return FailureReason("PushDisabled", "the policy has pushes disabled") }
    guard let push = device.push else {
      return FailureReason("MissingDeviceToken", "the device has not set a push channel")
    }
    guard push.isAllowed else { return FailureReason("PushDisabled", "the device does not allow pushes") }
    guard push.isEnabled else {
      return FailureReason("MissingDeviceToken", "the device has no token for its push provider")
    }
    return self.transportRefusal.map { FailureReason($0, "the push service refused it") }
  }

  func canPush(to pairing: MFADevice) -> Bool {
    guard let device = pairing.mobile.flatMap({ trustedDevices[$0.device] }), lock(of: pairing) == nil else {
      return false
    }
    return pushObstacle(of: device) == nil
  }
}

/// The number that a sign-on page shows, which the user must match on the device.
struct NumberMatch: Codable, Sendable {
  let type: Application.NumberMatching
  let number: Int
  /// Numbers to select from, in display order; empty if the user enters the number.
  let options: [Int]

  static func random(_ type: Application.NumberMatching) -> NumberMatch {
    let numbers = Array((10...99).shuffled().prefix(3))
    let options = type == .selectNumber ? numbers : []
    return NumberMatch(type: type, number: numbers[Int.random(in: numbers.indices)], options: options)
  }

  /// Maximum number of wrong numbers.
  ///
  /// A user that selects from offered numbers makes no typing errors, so gets only one try.
  var tries: Int { type == .selectNumber ? 1 : 3 }

  var claim: JSON { .of(["type": type, "options": type == .selectNumber ? options : nil]) }
}
