struct Notification: Stored, Codable {
  enum Kind: String, Codable, Shown {
    /// Asks a user to approve a sign-on.
    case authentication
    /// Checks the device without the user.
    case silent
    /// Cancels an earlier notification.
    case cancel
    /// Tests the delivery of pushes.
    case test
  }

  enum State: String, Codable, Shown {
    case pending, approved, denied, expired, cancelled
    case done
  }

  enum Answerer: Codable, Equatable {
    case device(ID<TrustedDevice>)
    case passcode
    case relyingParty
    case platform

    var text: String {
      switch self {
      case .device(let id): id.text
      case .passcode: "passcode"
      case .relyingParty: "relying-party"
      case .platform: "platform"
      }
    }
  }

  let id: ID<Notification>
  let device: ID<TrustedDevice>
  let user: ID<PlatformUser>?
  let kind: Kind
  /// Position among all notifications; cursors refer to it.
  let sequence: Int
  let token: String
  let deadline: EndTime
  let authentication: ID<DeviceAuthentication>?
  let number: NumberMatch?
  var state: State
  var numberTriesLeft: Int
  var answerer: Answerer?
  /// End of the lock that the denial of this push caused.
  var lock: EndTime?

  /// Reason of a denial, which the sign-on reports.
  var reason: String?

  static let maximumCount = 10_000

  /// Only a pending or done notification is also found by its device.
  var handles: [String] { state == .pending || state == .done ? [device.text] : [] }
}
