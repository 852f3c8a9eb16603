internal import ControlAPI
internal import PingOne
internal import WebAddress

/// Where pushes for an owner are left at a relay.
struct RelayRoute: Sendable, Equatable {
  let address: WebURL
  /// What senders were told besides; with it everything that is left there is encrypted.
  let subscription: PushSubscription?

  var isEncrypted: Bool { subscription != nil }

  /// What its owner is told.
  var place: PushPlace { subscription.map { .subscription($0) } ?? .address(address.text) }
}
