package import CourierProtocol
internal import EventLoop
package import Glibc
package import WebAddress

/// What a journey allows: to speak for its user at a realm of PingAM as long as the sign-on is being finished.
package struct AMUserSession: Sendable {
  /// Carries a request with the cookies of the sign-on, and fails once that is over.
  package typealias Send = @EventLoop (CourierRequest) async throws -> CourierResponse

  let owner: uid_t
  /// Below which the realm's resources lie.
  let realm: WebURL
  /// By which the realm knows the session.
  let field: CourierHeader
  let send: Send
  let isOver: @EventLoop () -> Bool

  package init(
    owner: uid_t,
    realm: WebURL,
    field: CourierHeader,
    send: @escaping Send,
    isOver: @escaping @EventLoop () -> Bool
  ) {
    (self.owner, self.realm, self.field) = (owner, realm, field)
    (self.send, self.isOver) = (send, isOver)
  }
}
