package import ControlAPI
package import Glibc
internal import Configuration
internal import WebAddress

extension Authenticator {
  /// What an owner has.
  package func ownerStatus(_ owner: uid_t) throws -> ServiceStatusReport.Owner {
    ServiceStatusReport.Owner(
      uid: owner,
      geography: try identity(of: owner)?.geography,
      paired: try store.accounts(of: owner).count(where: \.isActive),
      pending: try store.pendingCount(of: owner),
      isPolling: try isPolling(owner)
    )
  }

  /// The platform of an owner, or the one that is configured.
  package func platformStatus(_ owner: uid_t) throws -> ServiceStatusReport.Platform {
    // An identity that the platform has not accepted yet was tried with it all the same.
    let record = try (identity(of: owner) ?? identities().last { $0.owner == owner })?.platform
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
  package func clockOffset(_ owner: uid_t) throws -> Int? { try identity(of: owner)?.platform.clockOffset }
}
