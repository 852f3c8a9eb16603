package import ControlAPI
internal import EventLoop
package import Glibc

/// How this machine takes pushes by itself where others leave them.
package struct PushReceiver: Sendable {
  /// Whether there can be a token of this machine's own for a provider.
  package let offers: @EventLoop @Sendable (PushProvider) -> Bool
  /// The token for an owner's choice of a provider: the one that was given, else one of this machine's own.
  ///
  /// It is asked at each choice and in its transaction, so that what belonged to another choice ends with it.
  package let choose: @EventLoop @Sendable (PushProvider, _ given: String?, uid_t) throws -> String?
  /// Where an owner's pushes are left, if this machine takes them.
  package let place: @EventLoop @Sendable (uid_t) throws -> PushPlace?

  package init(
    offers: @escaping @EventLoop @Sendable (PushProvider) -> Bool,
    choose: @escaping @EventLoop @Sendable (PushProvider, _ given: String?, uid_t) throws -> String?,
    place: @escaping @EventLoop @Sendable (uid_t) throws -> PushPlace?
  ) {
    (self.offers, self.choose, self.place) = (offers, choose, place)
  }

  /// A machine that takes none.
  static let none = PushReceiver(
    offers: { _ in false },
    choose: { _, given, _ in given },
    place: { _ in nil }
  )
}

/// Where pushes for an owner are left, for those who send them.
package enum PushPlace: Sendable, Equatable {
  /// Where they are left as they are.
  case address(String)
  /// Encrypted for the owner.
  case subscription(PushSubscription)

  var address: String? {
    guard case .address(let address) = self else { return nil }
    return address
  }

  var subscription: PushSubscription? {
    guard case .subscription(let subscription) = self else { return nil }
    return subscription
  }
}
