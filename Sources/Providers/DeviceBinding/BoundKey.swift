package import Glibc
package import Time

/// A key of this machine that stands for a user at one server, without its private half.
package struct BoundKey: Sendable, Equatable {
  /// What the server knows it by (`kid`).
  package let id: String
  package let owner: uid_t
  /// The realm of a server that it is for, by the address at which that is signed on to.
  package let server: String
  /// Whom it stands for, as the server writes it.
  package let user: String
  /// What the server calls that user before people.
  package let userName: String
  package let createdAt: Timestamp
  /// Whether a journey has ever gone on after this key was used in it.
  package let isAccepted: Bool
  /// Whether it signs only while somebody has made sure of its owner.
  package let wantsPresence: Bool

  package init(
    id: String,
    owner: uid_t,
    server: String,
    user: String,
    userName: String,
    createdAt: Timestamp,
    isAccepted: Bool = false,
    wantsPresence: Bool = false
  ) {
    (self.id, self.owner, self.server) = (id, owner, server)
    (self.user, self.userName, self.createdAt) = (user, userName, createdAt)
    (self.isAccepted, self.wantsPresence) = (isAccepted, wantsPresence)
  }
}
