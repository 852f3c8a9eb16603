import JSON

/// A request of a device without a browser, which a user answers on another, RFC 8628; it is known by its code's hash.
struct DeviceGrant: Stored {
  enum Outcome: Sendable {
    case pending
    case approved(SignOnSession)
    case denied
  }

  let id: ID<DeviceGrant>
  /// What the user types in.
  let userCode: String
  let scope: [String]
  let deadline: Deadline
  /// How long the device has to wait between two polls.
  var interval: Int
  /// When the device may poll next; any time before its first poll.
  var nextPoll: Deadline?
  var outcome = Outcome.pending

  static let maximumCount = 1000
  /// Without vowels no code is a word, RFC 8628 section 6.1.
  private static let alphabet = "BCDFGHJKLMNPQRSTVWXZ"

  static func randomUserCode() -> String {
    "\(randomText(4, of: alphabet))-\(randomText(4, of: alphabet))"
  }

  static func id(of code: String) throws(PingOneError) -> ID<DeviceGrant> {
    ID(try SealedRequest.hash(Array(code.utf8)))
  }
}

extension Tenant {
  /// The grant that waits for an answer under a user code, however the code was typed.
  func deviceGrant(userCode typed: String) -> DeviceGrant? {
    func letters(_ code: String) -> String { code.uppercased().filter { $0.isLetter } }
    let wanted = letters(typed)
    let found = signOn.deviceGrants.first { letters($0.userCode) == wanted }
    guard let found, case .pending = found.outcome, !clock.isOver(found.deadline) else { return nil }
    return found
  }
}
