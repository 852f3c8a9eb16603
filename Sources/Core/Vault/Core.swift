package import EventLoop
package import Settings
package import Time

/// The parts of the daemon that every service uses.
package struct Core: Sendable {
  package let vault: Vault
  package let owners: Owners
  package let quota: Quota
  package let retention: Retention
  package let audit: Audit
  package let settings: Settings
  package let events: EventHub
  package let time: TimeSource
  package let after: Delay

  @EventLoop
  package init(
    vault: Vault,
    settings: Settings,
    time: TimeSource,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) {
    (self.vault, self.settings, self.time, self.after) = (vault, settings, time, after)
    owners = Owners(vault: vault, time: time, after: after)
    quota = Quota(vault, owners)
    retention = Retention(vault: vault, settings: settings, time: time, after: after)
    audit = Audit(vault: vault, time: time)
    events = EventHub()
    // Changes that subscribers did not pass on yet are erased, too.
    owners.whenErased { [events] in events.discard($0) }
  }

  /// Lets a component serve, which calls this in its `init`.
  @EventLoop
  package func register(_ component: any OwnedComponent) { vault.components.add(component) }

  /// Checks that every component with tables serves: the secrets of another one would stay unguarded.
  @EventLoop
  package func requireComponents(_ types: [any OwnedComponent.Type]) {
    let present = Set(vault.components.all.map { ObjectIdentifier(type(of: $0)) })
    for type in types {
      precondition(present.contains(ObjectIdentifier(type)), "\(type) does not register with Core")
    }
  }
}
