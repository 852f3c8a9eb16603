import EventLoop
import HTTPServer
import JSON

/// `POST /notifications/{id}/answer`: the user's decision on a push.
///
/// The decision's claims are `decision`, `notification`, `authenticationMethod?`, `number?` and `reason?`, and `device?`,
/// `iat?` and `shown?`, which are checked where they are there.
@EventLoop
enum DecisionRoutes {
  static let routes: [Route<DeviceEndpoint>] = [
    .device("POST", "/notifications/{notification}/answer", answer)
  ]

  private static func answer(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let tenant = call.tenant
    var sender = try call.sender()
    var notification = try call.notification()
    let decision = try SignedDecision(call.body, by: sender)
    try decision.requireSubject("notification", notification.id.text)
    try decision.requireText(tenant.shownText(of: notification))
    let posture = try ReportedPosture.member(of: call.body, maximum: 8 * 1024)
    guard notification.kind == .authentication || notification.kind == .silent else {
      throw .invalidRequest("There is nothing to answer.")
    }
    let wanted: Notification.State = decision.verdict == .approve ? .approved : .denied
    switch tenant.state(of: notification) {
    case .pending: break
    case wanted where notification.answerer == .device(sender.id): return tenant.accepted(notification)
    case .expired: throw .notificationExpired.with(tenant.outcome(of: notification))
    case .approved, .denied, .cancelled, .done:
      throw .notificationAnswered.with(tenant.outcome(of: notification))
    }
    try tenant.requireNoLock(of: tenant.pairing(of: notification))
    // A denial counts whoever makes it: it opens nothing.
    if decision.verdict == .approve {
      do { try tenant.requireSoundness(of: &sender, posture) } catch {
        // Where no person is asked nobody can do better at a second try.
        if notification.kind == .silent { tenant.settle(&notification, .denied, by: .platform) }
        throw error
      }
      try checkNumber(decision, of: &notification, tenant)
    } else {
      tenant.note(posture, of: &sender)
    }
    notification.reason = decision.reason
    tenant.settle(&notification, wanted, by: .device(sender.id))
    return tenant.accepted(notification)
  }

  private static func checkNumber(
    _ decision: SignedDecision,
    of notification: inout Notification,
    _ tenant: Tenant
  )
    throws(ErrorResponse)
  {
    guard let number = notification.number else { return }
    guard let given = decision.claims["number"]?.int else {
      throw .numberMissing.with(tenant.triesLeft(notification))
    }
    guard given != number.number else { return }
    notification.numberTriesLeft -= 1
    if notification.numberTriesLeft == 0 {
      tenant.settle(&notification, .denied, by: .platform)
    } else {
      tenant.notifications.put(notification)
    }
    throw .numberWrong.with(tenant.triesLeft(notification))
  }
}

extension Tenant {
  /// Settles a push with all that follows: the attempt that it belongs to, and the limit of missed pushes.
  fileprivate func settle(
    _ notification: inout Notification,
    _ state: Notification.State,
    by answerer: Notification.Answerer
  ) {
    notification.state = state
    notification.answerer = answerer
    if state == .approved {
      forgetMisses(of: notification)
    } else {
      notification.lock = countMiss(notification, at: clock.present)?.end
    }
    notifications.put(notification)
    concludeAuthentication(of: notification)
  }

  fileprivate func accepted(_ notification: Notification) -> SealedResponse {
    let authentication = notification.authentication.flatMap { authentications[$0] }
    return SealedResponse([
      "status": notification.state, "lock": closure(by: notification),
      "confirmationInfo": notification.state == .approved ? authentication?.confirmationInfo : nil,
    ])
  }

  private func closure(by notification: Notification) -> JSONObject? {
    notification.lock.map { members(of: .pushLimit(until: $0)) }
  }

  /// What is told of a number that was refused; the last one is a denial, which may close the account.
  fileprivate func triesLeft(_ notification: Notification) -> JSONObject {
    JSONObject(of: ["triesLeft": notification.numberTriesLeft, "lock": closure(by: notification)])
  }
}
