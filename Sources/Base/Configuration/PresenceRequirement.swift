/// Which approvals want the person verified who gives them.
package enum PresenceRequirement: String, CaseIterable, Comparable, Sendable {
  case none, passkeys, all

  private var strictness: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  package static func < (left: Self, right: Self) -> Bool { left.strictness < right.strictness }
}
