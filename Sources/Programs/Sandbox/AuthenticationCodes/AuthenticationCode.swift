import JSON
import Time

/// A code that a user takes to their device, from a screen or by a link, to sign on there.
struct AuthenticationCode: Stored, Codable {
  /// Whether the user has to approve on the device.
  enum Approval: String, CaseIterable, Codable, Shown {
    case required = "REQUIRED"
    case notRequired = "NOT_REQUIRED"
  }

  enum Status: String, Codable, Shown {
    case unclaimed = "UNCLAIMED"
    case claimed = "CLAIMED"
    case completed = "COMPLETED"
    case denied = "DENIED"
    case expired = "EXPIRED"
  }

  private(set) var id = ID<AuthenticationCode>.random()
  let code: String
  let clientContext: JSON?
  let approval: Approval
  let lifeTime: TimeSpan
  let deadline: Deadline
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var status = Status.unclaimed
  var user: ID<User>?
  var device: ID<TrustedDevice>?

  static let maximumCount = 10_000

  var handles: [String] { [code] }
}

extension Tenant {
  func status(of code: AuthenticationCode) -> AuthenticationCode.Status {
    switch code.status {
    case .unclaimed, .claimed: clock.isOver(code.deadline) ? .expired : code.status
    case .completed, .denied, .expired: code.status
    }
  }
}
