internal import ControlAPI
public import EventLoop
public import Glibc
internal import Journal

/// The sealed values that did not open since the start: damaged, or changed by a program without the key.
///
/// Each is reported once, in the journal and in the audit of its owner.
@EventLoop
public final class DamageReport {
  private var known: [uid_t: Set<String>] = [:]
  weak var audit: Audit?

  static let noticing = AutomaticAction("noticeDamage")

  nonisolated init() {}

  /// Returns the number of values of an owner, or of all owners if `owner` is nil.
  public func count(of owner: uid_t?) -> Int {
    owner.map { known[$0]?.count ?? 0 } ?? known.values.reduce(0) { $0 + $1.count }
  }

  func report(_ thing: StaticString, _ id: String, of owner: uid_t) {
    guard known[owner, default: []].insert("\(thing) \(id)").inserted else { return }
    Journal.error("a sealed value does not open", ["thing": thing, "id": id, "uid": owner])
    let target = id.isEmpty ? "\(thing)" : id
    audit?.record(Self.noticing.name, target: target, outcome: AuditEntry.done, owner: owner)
  }

  /// Forgets an erased owner.
  func forget(_ owner: uid_t) { known[owner] = nil }
}
