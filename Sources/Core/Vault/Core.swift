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
    quota = Quota(owners)
    retention = Retention(vault: vault, settings: settings, time: time, after: after)
    audit = Audit(vault: vault, time: time)
    events = EventHub()
    // Changes that subscribers did not pass on yet are erased, too.
    owners.whenErased { [events] in events.discard($0) }
  }
}
