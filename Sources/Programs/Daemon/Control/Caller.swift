package import Glibc

/// Who is at the other end of a connection, by the kernel's word; everything is done for this owner.
package struct Caller: Sendable {
  /// The user, to whom everything belongs that is made here.
  package let uid: uid_t
  /// Whether the methods of the class `service` are allowed.
  package let mayServe: Bool

  /// Users that no person and no service has: `nobody`, the overflow user, and those that systemd makes up.
  private static let refused: [ClosedRange<uid_t>] = [65534...65535, 61184...65519, uid_t.max...uid_t.max]

  /// The caller of that user; `nil` if it is one that cannot own anything.
  package init?(uid: uid_t, serviceUser: uid_t) {
    guard !Self.refused.contains(where: { $0.contains(uid) }) else { return nil }
    self.uid = uid
    mayServe = uid == 0 || uid == serviceUser
  }
}
