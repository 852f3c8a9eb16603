import JSON

/// Where the number to display is found with number matching is not published; here it is the member `numberMatching`,
/// `{type, number}`, while the push waits.
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
