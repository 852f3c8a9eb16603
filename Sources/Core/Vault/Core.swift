internal import Configuration
public import EventLoop
public import Settings
public import Time

/// The parts of the daemon that every service uses.
public struct Core: Sendable {
  public let vault: Vault
  public let owners: Owners
  public let quota: Quota
  public let retention: Retention
  public let audit: Audit
  public let settings: Settings
  public let events: EventHub
  public let memory: MemoryBudget
  public let time: TimeSource
  public let after: Delay

  @EventLoop
  public init(
    vault: Vault,
    settings: Settings,
    time: TimeSource,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) {
    (self.vault, self.settings, self.time, self.after) = (vault, settings, time, after)
    owners = Owners(vault: vault, time: time, after: after)
    quota = Quota(vault, owners)
    retention = Retention(vault: vault, settings: settings, time: time, after: after)
    audit = Audit(vault: vault, time: time, after: after)
    events = EventHub()
    memory = MemoryBudget(owners: settings.current.maximumConnections)
    // Subscribers drop the changes of an erased owner that they have not passed on yet.
    owners.whenErased { [events] in events.discard($0) }
    owners.whenErased { [audit] in audit.forgetCounts(of: $0) }
    owners.whenErased { vault.sealer.damage.forget($0) }
  }

  /// Registers a component; the component's `init` calls this.
  @EventLoop
  public func register(_ component: any OwnedComponent) { vault.components.add(component) }

  /// Stores the data that is only in memory, before a clean stop.
  @EventLoop
  public func finish() throws {
    audit.writeCounts()
    try vault.commit()
  }

  /// Stops the program if a component is not registered, since no PIN would guard that component's secrets.
  @EventLoop
  public func requireComponents(_ types: [any OwnedComponent.Type]) {
    let present = Set(vault.components.all.map { ObjectIdentifier(type(of: $0)) })
    for type in types {
      precondition(present.contains(ObjectIdentifier(type)), "\(type) is not registered with Core")
    }
  }
}
