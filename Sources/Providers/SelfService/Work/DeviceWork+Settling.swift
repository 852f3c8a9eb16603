internal import Accounts
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import JSONRPC
internal import Time

extension DeviceWork {
  /// How long a new device waits for its first passcode.
  private static let activationTime = 30 * 60

  /// Brings what is kept here and what there is at PingOne together.
  func settle() async {
    await attempt(DeviceOrders.Kind.totp.rawValue) {
      for account in try own {
        switch account.account.state {
        case .active where !present.contains(where: { $0.id == account.device }):
          try accounts.accounts.revoke(account.account)
        case .activating: try await settle(account)
        case .active, .revoked: break
        }
      }
    }
  }

  private func settle(_ account: TOTPAccount) async throws {
    guard let id = account.device else { return try await settleUnknown(account) }
    guard let device = present.first(where: { $0.id == id }) else { return try discard(account) }
    if device.isActive { return try comeIntoForce(account.account) }
    guard mayFinish else { return }
    if devices.now < account.begunAt.adding(seconds: Self.activationTime) {
      return try await activate(account.account, device: id)
    }
    try await devices.delete(id)
    present.removeAll { $0.id == id }
    try discard(account)
  }

  /// A device may have been made whose secret never came: it counts for nothing, and is in the way of the next.
  private func settleUnknown(_ account: TOTPAccount) async throws {
    let candidates = present.filter { device in
      device.isPasscodeDevice && !device.isActive && !account.others.contains(device.id)
        && (device.createdAt.map { $0 >= account.begunAt } ?? false)
    }
    // Whoever names one of them has chosen.
    guard candidates.count > 1, !candidates.contains(where: { orders.remove.contains($0.id) }) else {
      if candidates.count == 1, let device = candidates.first {
        guard mayFinish else { return }
        try await devices.delete(device.id)
        present.removeAll { $0.id == device.id }
      }
      return try discard(account)
    }
    throw RPCError.ambiguous
      .saying(
        "an order was lost on its way, and several new devices may be what it made: remove the one that is nobody's"
      )
  }

  /// Whether the sign-on asked for all that finishing or removing a device needs.
  private var mayFinish: Bool { !orders.add.isEmpty }

  private func discard(_ account: TOTPAccount) throws {
    try accounts.accounts.discard(account.account.id, of: grant.owner)
  }
}
