public import EventLoop
public import Glibc
public import Time

/// A component that stores data of owners, with every duty that it has towards them.
///
/// No duty has a default: a component without one says so, by `.none`, `false` or an empty body. Each row of an owner
/// refers to `owner`, or to a row that does, so that erasure removes it. Components are asked in the order of their
/// registration.
@EventLoop
public protocol OwnedComponent: AnyObject, Sendable {
  /// The statements that create the tables; a change of them raises the number of the layout.
  nonisolated static var schema: StaticString { get }
  /// The values that a restored backup must not roll back.
  nonisolated static var restoration: RestorationRules { get }

  /// The size of an owner's rows, without a key.
  func usage(of owner: uid_t) throws -> Quota.Usage
  /// Removes rows that their owner needs least, once the quota is exhausted.
  func reclaim(from owner: uid_t) throws
  /// Removes rows that were settled before the limit, or have expired now; returns whether more are left.
  ///
  /// A table without a small bound loses at most `Retention.piece` rows at a time, so that nobody waits.
  func purge(before limit: Timestamp, now: Timestamp) throws -> Bool
  /// Seals secrets with the guard key as far as they are not, and reads what waited for it; called when the owner sets a
  /// PIN and at each unlock.
  func guardSecrets(of owner: uid_t) throws
  /// Ends the work for an owner whose rows were erased, and forgets what it remembers of them.
  func forget(_ owner: uid_t)
}

/// The changes of a backup's state before it takes the place of the live state.
public struct RestorationRules: Sendable {
  /// Statements that take the later value from the live state, which is attached as `live`.
  let later: [StaticString]
  /// Statements for the case that there is no live state.
  let withoutLive: [StaticString]

  public init(later: [StaticString], withoutLive: [StaticString] = []) {
    (self.later, self.withoutLive) = (later, withoutLive)
  }

  /// No values to keep from the live state.
  public static let none = RestorationRules(later: [])
}

/// The components that are registered in this process.
///
/// It refers to them weakly, since they use the vault that it belongs to.
@EventLoop
final class OwnedComponents {
  private struct Reference {
    weak var component: (any OwnedComponent)?
  }

  private var references: [Reference] = []

  nonisolated init() {}

  func add(_ component: any OwnedComponent) { references.append(Reference(component: component)) }

  var all: [any OwnedComponent] { references.compactMap(\.component) }
}
