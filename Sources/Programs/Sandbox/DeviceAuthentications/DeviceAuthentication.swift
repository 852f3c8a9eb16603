import JSON
import Time

/// One attempt to let a user confirm their identity with a device.
struct DeviceAuthentication: Stored, Codable {
  enum Status: String, Codable, Shown {
    case otpRequired = "OTP_REQUIRED"
    case deviceSelectionRequired = "DEVICE_SELECTION_REQUIRED"
    case pushConfirmationRequired = "PUSH_CONFIRMATION_REQUIRED"
    case pushConfirmationTimedOut = "PUSH_CONFIRMATION_TIMED_OUT"
    case completed = "COMPLETED"
    case failed = "FAILED"
  }

  let id: ID<DeviceAuthentication>
  let user: ID<PlatformUser>
  var application: ID<Application>?
  var clientContext: JSON?
  /// Information that the device receives after an approval; PingOne does not have this member.
  var confirmationInfo: JSON?
  /// True if pushes of this attempt require number matching, false if not, `nil` to follow the policy.
  ///
  /// PingOne does not have this member.
  var asksForNumber: Bool?
  var title = "Sign-on request"
  var body: String
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var status = Status.deviceSelectionRequired
  var selected: ID<MFADevice>?
  var notification: ID<Notification>?
  var failure: FailureReason?

  static let maximumCount = 10_000

  init(of user: PlatformUser, _ application: Application, at now: Timestamp) {
    id = .random()
    self.user = user.id
    self.application = application.id
    body = "Do you approve the sign-on of \(user.username) to \(application.name)?"
    (createdAt, updatedAt) = (now, now)
  }

  var isOver: Bool { status == .completed || status == .failed }
}

extension Tenant {
  /// Returns an attempt in its current state.
  ///
  /// If its push was cancelled, for example since the device was deleted, another device must be selected.
  func current(_ id: ID<DeviceAuthentication>) -> DeviceAuthentication? {
    guard let authentication = authentications[id] else { return nil }
    let notification = authentication.notification.flatMap { notifications[$0] }
    guard authentication.status == .pushConfirmationRequired, notification?.state == .cancelled else {
      return authentication
    }
    return deselect(authentication)
  }

  /// Clears the selected device of an attempt, so that a device must be selected again.
  func deselect(_ authentication: DeviceAuthentication) -> DeviceAuthentication {
    var authentication = authentication
    authentication.notification = nil
    authentication.selected = nil
    return finish(authentication, .deviceSelectionRequired)
  }

  func finish(
    _ authentication: DeviceAuthentication,
    _ status: DeviceAuthentication.Status,
    _ failure: FailureReason? = nil
  ) -> DeviceAuthentication {
    var authentication = authentication
    authentication.status = status
    authentication.failure = failure
    authentication.updatedAt = clock.now
    authentications.put(authentication)
    if status == .completed { forgetFailures(of: authentication.user) }
    return authentication
  }

  func concludeAuthentication(of notification: Notification) {
    guard let id = notification.authentication, let authentication = authentications[id],
      authentication.notification == notification.id, authentication.status == .pushConfirmationRequired
    else { return }
    switch notification.state {
    case .approved: _ = finish(authentication, .completed)
    case .expired where notification.kind == .silent:
      _ = conclude(authentication, unansweredUnder: policy.extraVerification ?? .restrictive)
    case .expired: _ = finish(authentication, .pushConfirmationTimedOut)
    case .denied:
      _ = finish(
        authentication,
        .failed,
        FailureReason("PUSH_DENIED", notification.reason ?? "The user denied the request.")
      )
      countFailure(of: authentication.user)
    case .pending, .cancelled, .done: break
    }
  }
}

/// PingOne does not document the member with the number for number matching. In the sandbox, it is the member
/// `numberMatching`, `{type, number}`, which exists while the push is pending.
extension DeviceAuthentication: Resource {
  func json(in tenant: Tenant) -> JSON {
    let address = "\(tenant.authenticationURL)/deviceAuthentications/\(id.text)"
    var links: JSON = .links(["self": address])
    if !isOver { links = links.adding(.links(["device.select": address, "otp.check": address])) }
    if status == .pushConfirmationRequired {
      links = links.adding(.links(["push.authentication.cancel": address]))
    }
    return .of([
      "_links": links, "id": id, "environment": tenant.environment.id.reference, "status": status,
      "user": user.reference, "application": application?.reference, "policy": tenant.policy.id.reference,
      "selectedDevice": selected?.reference,
      "notification": clientContext.map { JSON.of(["clientContext": $0]) },
      "numberMatching": tenant.numberMatching(of: self), "error": failure, "createdAt": createdAt,
      "updatedAt": updatedAt,
      "_embedded": JSON.of(["devices": tenant.usableDevices(for: self).map { tenant.choice($0) }]),
    ])
  }
}

extension Tenant {
  func numberMatching(of authentication: DeviceAuthentication) -> JSON? {
    guard authentication.status == .pushConfirmationRequired else { return nil }
    let number = authentication.notification.flatMap { notifications[$0]?.number }
    return number.map { .of(["type": $0.type, "number": $0.number]) }
  }

  func choice(_ device: MFADevice) -> JSON {
    .of([
      "id": device.id, "type": device.kind, "status": device.status, "nickname": device.nickname,
      "pushEnabled": device.mobile.map { trustedDevices[$0.device]?.isPushEnabled ?? false },
    ])
  }
}
