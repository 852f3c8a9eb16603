import JSON

extension Tenant {
  /// A device as the management API shows it.
  func json(of device: MobileDevice) -> JSON {
    let trusted = trustedDevices[device.device]
    return .present([
      ("_links", .links(links(of: device))),
      ("id", .id(device.id)), ("environment", .reference(environment.id)), ("user", .reference(device.user)),
      ("type", "MOBILE"), ("status", .string(device.status.rawValue)),
      ("application", .reference(device.application)), ("policy", .reference(device.policy)),
      ("nickname", device.nickname.map { .string($0) }),
      ("pushEnabled", .bool(trusted?.isPushEnabled ?? false)),
      ("os", trusted.map { ["type": .string($0.system), "version": .string($0.systemVersion)] }),
      ("model", trusted.map { ["name": .string($0.name)] }),
      ("applicationVersion", trusted.map { .string($0.version) }),
      ("block", device.blockedAt.map { ["status": "BLOCKED", "blockedAt": .time($0)] }),
      ("lock", lockMembers(of: device)), ("logs", logs(of: device)),
      ("createdAt", .time(device.createdAt)), ("updatedAt", .time(device.updatedAt)),
    ])
  }

  private func links(of device: MobileDevice) -> [(String, String)] {
    let user = "\(managementURL)/users/\(device.user.text)"
    let address = "\(user)/devices/\(device.id.text)"
    return [
      ("self", address), ("environment", managementURL), ("user", user),
      device.blockedAt == nil ? ("device.block", address) : ("device.unblock", address),
      ("device.unlock", address),
    ]
  }

  private func lockMembers(of device: MobileDevice) -> JSON? {
    let ends = [device.passcodeLock, device.pushLock].compactMap(\.self).filter { !clock.isOver($0) }
    guard let end = ends.max(by: { $0.instant < $1.instant }) else { return nil }
    return ["status": "LOCKED", "expiresAt": .time(clock.instant(of: end))]
  }

  private func logs(of device: MobileDevice) -> JSON? {
    switch device.logRequest {
    case .none: nil
    case .received: ["status": "RECEIVED"]
    case .pending(let end):
      clock.isOver(end) ? nil : ["status": "PENDING", "expiresAt": .time(clock.instant(of: end))]
    }
  }
}
