struct Notification: Stored, Codable {
  enum Kind: String, Codable, Shown {
    /// Asks a person to approve a sign-on.
    case authentication
    /// Asks the device alone whether it is there.
    case silent
    /// Takes an earlier one back.
    case cancel
    /// Shows that pushes arrive.
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
  /// The place among all notifications, by which cursors count.
  let sequence: Int
  let token: String
  let deadline: EndTime
  let authentication: ID<DeviceAuthentication>?
  let number: NumberMatch?
  var state: State
  var numberTriesLeft: Int
  var answerer: Answerer?
  /// Until when the account is closed that the denial of this push closed.
  var lock: EndTime?

  /// The reason of a denial, where it gives one that a sign-on tells.
  var reason: String?

  static let maximumCount = 10_000

  /// One that was answered is looked for by its identifier alone.
  var handles: [String] { state == .pending || state == .done ? [device.text] : [] }
}
