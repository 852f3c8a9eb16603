public import EventLoop
public import Glibc
public import Time

/// A component that stores data of owners, with all its duties towards them.
///
/// No duty has a default implementation: a component that lacks a duty declares this by `.none`, `false` or
/// an empty body. Each row of an owner refers to `owner`, directly or through another row, so that the
/// erasure of the owner removes the row. Components are called in the order of their registration.
@EventLoop
public protocol OwnedComponent: AnyObject, Sendable {
  /// The statements that create the tables. A change of them increments the schema version.
  nonisolated static var schema: StaticString { get }
  /// The values that a restored backup must not roll back.
  nonisolated static var restoration: RestorationRules { get }

  /// Returns the size of an owner's rows. Needs no key.
  func usage(of owner: uid_t) throws -> Quota.Usage
  /// Removes the rows that their owner needs least. Called when the quota is exhausted.
  func reclaim(from owner: uid_t) throws
  /// Removes rows that were completed before the limit or have expired. Returns true if more are left.
  ///
  /// A table without a small size limit loses at most `Retention.piece` rows per call, so that requests are
  /// not delayed.
  func purge(before limit: Timestamp, now: Timestamp) throws -> Bool
  /// Seals secrets that are not yet sealed with the guard key, and processes data that waited for it. Called
  /// when the owner sets a PIN and at each unlock.
  func guardSecrets(of owner: uid_t) throws
  /// Cancels the work for an owner after the erasure of the owner's rows, and drops cached data of the owner.
  func forget(_ owner: uid_t)
}

/// The changes to a backup's state before it replaces the live state.
public struct RestorationRules: Sendable {
  /// Statements that carry newer values over from the live database, which is attached as `live`.
  let later: [StaticString]
  /// Statements for the case that there is no live state.
  let withoutLive: [StaticString]

  public init(later: [StaticString], withoutLive: [StaticString] = []) {
    (self.later, self.withoutLive) = (later, withoutLive)
  }

  /// The rules of a component that keeps no values of the live state.
  public static let none = RestorationRules(later: [])
}

/// The components that are registered in this process.
///
/// The references are weak, since the components hold references to the vault.
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
