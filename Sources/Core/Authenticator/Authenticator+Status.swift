package import ControlAPI
package import Glibc
internal import Configuration
internal import JSONRPC
internal import WebAddress

extension Authenticator {
  /// What can be had without a key: while the one that seals identities is unavailable there are none, since a
  /// status needs no secret.
  private func openIdentity(of owner: uid_t, trusted: Bool = true) throws -> Identity? {
    do {
      return try identities().first { $0.owner == owner && (!trusted || $0.deviceID != nil) }
    } catch let error as RPCError where error == .keyUnavailable { return nil }
  }

  /// What an owner has.
  package func ownerStatus(_ owner: uid_t) throws -> ServiceStatusReport.Owner {
    let identity = try openIdentity(of: owner)
    return ServiceStatusReport.Owner(
      uid: owner,
      geography: try identity?.geography ?? store.geography(of: owner),
      paired: try store.activeCount(of: owner),
      pending: try store.pendingCount(of: owner),
      isPolling: identity.map { pollers[$0.id] != nil } ?? false
    )
  }

  /// The platform of an owner, or the one that is configured.
  package func platformStatus(_ owner: uid_t) throws -> ServiceStatusReport.Platform {
    // An identity that the platform has not accepted yet was tried with it all the same.
    let record = try (openIdentity(of: owner) ?? openIdentity(of: owner, trusted: false))?.platform
    let url =
      record?.url.text ?? configuration.platform?.text ?? configuration.platforms.values.first?.text ?? ""
    return ServiceStatusReport.Platform(
      url: url.droppingLastSlash,
      isPinned: !configuration.platformKeys.isEmpty,
      isReachable: record?.isReachable,
      lastContact: record?.lastContact
    )
  }

  /// How many seconds the platform's clock is ahead of this machine's, when it was heard.
  package func clockOffset(_ owner: uid_t) throws -> Int? {
    try openIdentity(of: owner)?.platform.clockOffset
  }
}
