import JSON

// Effects on devices.
extension FlowEffects {
  static let devices = [
    FlowWord<FlowEffect>("makePairingKey") { reader throws(FlowFileError) in
      let variable = try reader.variable()
      return FlowEffect { play throws(ErrorResponse) in
        let (tenant, user) = (play.tenant, try play.signedOnUser().id)
        let key = tenant.makePairingKey(for: user, by: [tenant.application.id], .northAmerica)
        play.pairingKey = key.id
        play.variables[variable] = .string(key.code)
      }
    },
    object("authenticate", [], optional: ["device", "title", "payload"], variables: ["challenge"]) {
      play,
      values throws(ErrorResponse) in
      try play.authenticate(
        device: values["device"],
        title: values["title"],
        takesPayload: values["payload"] != nil
      )
      if let challenge = values["challenge"] {
        play.variables[challenge] = .string(randomText(32, of: tokenAlphabet))
      }
    },
    text("selectDevice") { play, id throws(ErrorResponse) in
      var attempt = try play.currentAuthentication()
      try play.tenant.select(try play.tenant.usableDevice(id, of: attempt), in: &attempt)
    },
    text("checkPasscode") { play, passcode throws(ErrorResponse) in
      _ = try play.tenant.checkPasscode(passcode, in: try play.currentAuthentication())
    },
  ]
}

extension FlowPlay {
  /// Starts a device authentication with a device of the user.
  ///
  /// With `takesPayload`, the device of a mobile payload authenticates instead, if the policy allows it.
  fileprivate func authenticate(device: String?, title: String?, takesPayload: Bool) throws(ErrorResponse) {
    let user = try signedOnUser()
    let earlier = authentication.flatMap { tenant.authentications[$0] }?.notification
    if let earlier { tenant.withdraw(earlier, by: .relyingParty) }
    var attempt = DeviceAuthentication(of: user, tenant.application, at: tenant.clock.now)
    attempt.title = title ?? attempt.title
    let wanted: MFADevice? = if let device { try tenant.usableDevice(device, of: attempt) } else { nil }
    let payload = takesPayload ? authorization?.payload : nil
    let standIn = payload.flatMap { tenant.device(standingInFor: user, by: $0) }
    authentication = try tenant.start(attempt, of: user, standIn: standIn, wanted: wanted).id
  }

  fileprivate func currentAuthentication() throws(ErrorResponse) -> DeviceAuthentication {
    guard let attempt = authentication.flatMap({ tenant.current($0) }) else { throw .unexpected }
    return attempt
  }

  /// Returns true if a passcode is correct for the selected device, or for the user's first device if none is
  /// selected.
  func acceptsPasscode(_ passcode: String) -> Bool {
    let attempt = authentication.flatMap { tenant.current($0) }
    let chosen = attempt?.selected.flatMap { tenant.devices[$0] }
    guard let device = chosen ?? user.flatMap({ tenant.activeDevices(of: $0).first }),
      (try? tenant.checkPasscode(passcode, of: device)) != nil
    else { return false }
    if let attempt, !attempt.isOver {
      if let push = attempt.notification { tenant.withdraw(push, by: .passcode) }
      _ = tenant.finish(attempt, .completed)
    }
    return true
  }
}
