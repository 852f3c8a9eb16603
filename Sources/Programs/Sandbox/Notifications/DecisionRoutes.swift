import EventLoop
import HTTPServer
import JSON

/// `POST /notifications/{id}/answer`: the user's decision on a push.
///
/// The claims of the decision are `decision`, `notification`, `authenticationMethod?`, `number?` and
/// `reason?`. The optional claims `device?`, `iat?` and `shown?` are checked if present.
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
      throw .invalidRequest("The push requires no answer.")
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
    // A denial needs no integrity check: it grants nothing.
    if decision.verdict == .approve {
      do { try tenant.requireSoundness(of: &sender, posture) } catch {
        // A silent push gets no second try, since no user decides on it.
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
  /// Completes a push and its authentication attempt, and updates the count of missed pushes.
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

  /// Returns the remaining tries after a wrong number.
  ///
  /// The last wrong number is a denial, which may lock the account.
  fileprivate func triesLeft(_ notification: Notification) -> JSONObject {
    JSONObject(of: ["triesLeft": notification.numberTriesLeft, "lock": closure(by: notification)])
  }
}
