package import ControlAPI
package import Glibc

extension Authenticator {
  /// The accounts that are in force.
  package func accounts(of owner: uid_t) throws -> [Account] {
    guard let identity = try identity(of: owner) else { return [] }
    return try store.accounts(of: owner).filter(\.isActive).map { record in
      Account(
        id: record.id,
        geography: identity.geography,
        environment: record.environment,
        user: record.user,
        label: record.user.username ?? record.user.email ?? record.user.id,
        nickname: record.nickname,
        authenticators: record.authenticators,
        createdAt: record.createdAt
      )
    }
  }
}
