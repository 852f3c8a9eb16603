import JSON
import Time

extension FlowPlay {
  /// The user who has signed on.
  func signedOnUser() throws(PingOneError) -> User {
    guard let user = user.flatMap({ tenant.users[$0] }) else {
      throw .invalidRequest("Nobody has signed on.")
    }
    return user
  }

  /// Sends the user a mail.
  func send(_ message: Message) {
    tenant.messages.put(message, keeping: Message.maximumCount)
  }

  /// Asks the user's device, or one of them, whether it is the user.
  func authenticate(device: String?, title: String?) throws(PingOneError) {
    let user = try signedOnUser()
    if let earlier = authentication.flatMap({ tenant.authentications[$0] })?.notification {
      tenant.withdraw(earlier, by: .relyingParty)
    }
    var attempt = DeviceAuthentication(
      id: .random(),
      user: user.id,
      application: tenant.application.id,
      policy: tenant.policy.id,
      clientContext: nil,
      confirmationInfo: nil,
      title: title ?? "Sign-on request",
      body: "Do you approve the sign-on of \(user.username) to \(tenant.application.name)?",
      createdAt: tenant.clock.now,
      updatedAt: tenant.clock.now
    )
    tenant.audit(.authenticationStarted, user: user.id, "An authentication has begun.")
    if let device, !device.isEmpty {
      let chosen = try tenant.usableDevice(device, of: attempt)
      try tenant.select(chosen, in: &attempt)
    } else {
      try tenant.selectDevice(in: &attempt)
    }
    authentication = attempt.id
  }
}

extension Tenant {
  private static let maximumUsers = 10_000

  /// Makes a user, if the name is free.
  func createUser(
    _ username: String,
    password: String?,
    email: String?,
    given: String?,
    family: String?
  ) throws(PingOneError) {
    guard (1...128).contains(username.utf8.count) else { throw .invalid("username", "must not be empty") }
    guard user(named: username) == nil else {
      throw .invalid("username", "is already in use", code: "UNIQUENESS_VIOLATION")
    }
    guard users.count < Self.maximumUsers else { throw .full("users") }
    users.put(
      User(
        id: .random(),
        username: username,
        password: password,
        email: email,
        given: given,
        family: family,
        mfaEnabled: true,
        createdAt: clock.now,
        updatedAt: clock.now
      )
    )
  }
}

extension User {
  /// The user with another password.
  func with(password: String) -> User {
    User(
      id: id,
      username: username,
      password: password,
      email: email,
      given: given,
      family: family,
      mfaEnabled: mfaEnabled,
      createdAt: createdAt,
      updatedAt: updatedAt,
      failures: failures,
      lock: lock,
      deviceOrder: deviceOrder
    )
  }
}
