package import Time

/// How an owner decided.
package struct Decision: Sendable, Equatable {
  package let isApproval: Bool
  /// How the owner was recognized, RFC 8176; an approval's.
  package var method: String?
  /// The number that was shown where the owner signs on.
  package var number: Int?
  /// Why it was denied.
  package var reason: String?
  /// Which of several users it is for.
  package var user: String?
  /// Whether what the request says was withheld, since its owner was locked; whoever unlocks later did not see it then.
  package var isBlind = false
  package let at: Timestamp

  package init(
    isApproval: Bool,
    method: String? = nil,
    number: Int? = nil,
    reason: String? = nil,
    user: String? = nil,
    at: Timestamp
  ) {
    (self.isApproval, self.method, self.number) = (isApproval, method, number)
    (self.reason, self.user, self.at) = (reason, user, at)
  }

  /// What the other side and the audit call it.
  package var name: String { isApproval ? "approve" : "deny" }

  /// Whether another decision says the same, whenever it was made.
  func agrees(with other: Decision) -> Bool {
    isApproval == other.isApproval && number == other.number && user == other.user
  }
}
