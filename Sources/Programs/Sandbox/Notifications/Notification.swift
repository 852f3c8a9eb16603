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
  let user: ID<User>?
  let kind: Kind
  /// The place among all notifications, by which cursors count.
  let sequence: Int
  let token: String
  let deadline: Deadline
  let authentication: ID<DeviceAuthentication>?
  let number: NumberMatch?
  var state: State
  var numberTriesLeft: Int
  var answerer: Answerer?
  /// Until when the account is closed that the denial of this push closed.
  var lock: Deadline?

  static let maximumCount = 10_000

  /// One that was answered is looked for by its identifier alone.
  var handles: [String] { state == .pending || state == .done ? [device.text] : [] }
}

/// All notifications, in the order in which cursors count them.
struct NotificationLog: Codable {
  private enum CodingKeys: CodingKey { case name, lastSequence }

  var shelf = Shelf<Notification>()
  /// Those that may still be answered, or have expired unnoticed.
  private(set) var pending: Set<ID<Notification>> = []
  private(set) var lastSequence: Int
  /// Tells this log's cursors from those of another sandbox.
  let name: String

  init(name: String = randomText(8, of: codeAlphabet), lastSequence: Int = 0) {
    self.name = name
    self.lastSequence = lastSequence
  }

  var all: [Notification] { shelf.all }

  /// What may still concern a device.
  func outstanding(for device: ID<TrustedDevice>) -> [Notification] { shelf.all(by: device.text) }

  subscript(_ id: ID<Notification>) -> Notification? { shelf[id] }

  mutating func nextSequence() -> Int {
    lastSequence += 1
    return lastSequence
  }

  mutating func findPending() { pending = Set(shelf.all.filter { $0.state == .pending }.map(\.id)) }

  mutating func put(_ notification: Notification) {
    if notification.state == .pending {
      pending.insert(notification.id)
    } else {
      pending.remove(notification.id)
    }
    shelf.put(notification)
  }

  /// The cursor behind a notification, or behind all.
  func cursor(after sequence: Int) -> String { "\(name).\(sequence)" }

  /// The sequence that a cursor stands for; `nil` if it is none of this log's.
  func sequence(of cursor: String) -> Int? {
    let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == name, let sequence = Int(parts[1]) else { return nil }
    return (0...lastSequence).contains(sequence) ? sequence : nil
  }
}
