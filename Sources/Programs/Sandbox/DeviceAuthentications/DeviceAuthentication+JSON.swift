import JSON

extension Tenant {
  /// An attempt as the authentication API shows it.
  ///
  /// Where the number to display is found with number matching is not published; here it is the member
  /// `numberMatching`, `{type, number}`, while the push waits.
  func json(of authentication: DeviceAuthentication) -> JSON {
    let address = "\(authenticationURL)/deviceAuthentications/\(authentication.id.text)"
    var links = [("self", address)]
    if !authentication.isOver { links += [("device.select", address), ("otp.check", address)] }
    if authentication.status == .pushConfirmationRequired {
      links.append(("push.authentication.cancel", address))
    }
    let devices = usableDevices(for: authentication)
    return .present([
      ("_links", .links(links)), ("id", .id(authentication.id)), ("environment", .reference(environment.id)),
      ("status", .string(authentication.status.rawValue)), ("user", .reference(authentication.user)),
      ("application", authentication.application.map { .reference($0) }),
      ("policy", .reference(authentication.policy)),
      ("selectedDevice", authentication.selected.map { .reference($0) }),
      ("notification", authentication.clientContext.map { ["clientContext": $0] }),
      ("numberMatching", numberMatching(of: authentication)), ("error", authentication.failure?.json),
      ("createdAt", .time(authentication.createdAt)), ("updatedAt", .time(authentication.updatedAt)),
      ("_embedded", ["devices": .array(devices.map { choice($0) })]),
    ])
  }

  /// The number that the sign-on page shows while a push waits.
  func numberMatching(of authentication: DeviceAuthentication) -> JSON? {
    guard authentication.status == .pushConfirmationRequired,
      let notification = authentication.notification.flatMap({ notifications[$0] }),
      let number = notification.number
    else { return nil }
    return ["type": .choice(number.type), "number": .int(number.number)]
  }

  /// A device as one that can be chosen.
  func choice(_ device: MobileDevice) -> JSON {
    .present([
      ("id", .id(device.id)), ("type", "MOBILE"), ("status", .string(device.status.rawValue)),
      ("nickname", device.nickname.map { .string($0) }),
      ("pushEnabled", .bool(trustedDevices[device.device]?.isPushEnabled ?? false)),
    ])
  }
}
