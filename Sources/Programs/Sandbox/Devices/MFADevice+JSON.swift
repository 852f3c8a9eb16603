import EventLoop
import JSON

extension MFADevice: Resource {
  func json(in tenant: Tenant) -> JSON {
    let trusted = mobile.flatMap { tenant.trustedDevices[$0.device] }
    return .of([
      "_links": links(in: tenant), "id": id, "environment": tenant.environment.id.reference,
      "user": user.reference, "type": kind, "status": status,
      "application": mobile.map { _ in tenant.application.id.reference },
      "policy": tenant.policy.id.reference, "nickname": nickname,
      "pushEnabled": mobile.map { _ in trusted?.isPushEnabled ?? false },
      "os": trusted.map { JSON.of(["type": $0.system, "version": $0.systemVersion]) },
      "model": trusted.map { JSON.of(["name": $0.name]) }, "applicationVersion": trusted?.version,
      "block": blockedAt.map { JSON.of(["status": "BLOCKED", "blockedAt": $0]) },
      "lock": lockMembers(in: tenant), "logs": logs(in: tenant), "createdAt": createdAt,
      "updatedAt": updatedAt,
    ])
  }
}

@EventLoop
extension MFADevice {
  private func links(in tenant: Tenant) -> JSON {
    let owner = "\(tenant.managementURL)/users/\(user.text)"
    let address = "\(owner)/devices/\(id.text)"
    let links: JSON = .links([
      "self": address, "environment": tenant.managementURL, "user": owner,
      blockedAt == nil ? "device.block" : "device.unblock": address, "device.unlock": address,
    ])
    guard mobile == nil, status == .activationRequired else { return links }
    return links.adding(.links(["device.activate": address]))
  }

  private func lockMembers(in tenant: Tenant) -> JSON? {
    let ends = [passcodeLock, mobile?.pushLock].compactMap(\.self).filter { !tenant.clock.isOver($0) }
    guard let end = ends.max(by: { $0.instant < $1.instant }) else { return nil }
    return .of(["status": "LOCKED", "expiresAt": tenant.clock.instant(of: end)])
  }

  private func logs(in tenant: Tenant) -> JSON? {
    switch mobile?.logRequest {
    case .none: nil
    case .received: ["status": "RECEIVED"]
    case .pending(let end) where tenant.clock.isOver(end): nil
    case .pending(let end): .of(["status": "PENDING", "expiresAt": tenant.clock.instant(of: end)])
    }
  }
}
