import FoundationEssentials
import JSON
import Time

/// What AM waits for under the identifier of a message, as long as its push service keeps it.
struct PushRecord: Stored {
  enum Kind: String {
    case register = "REGISTER"
    case authenticate = "AUTHENTICATE"
  }

  enum State: String {
    case pending = "PENDING"
    case accepted = "ACCEPTED"
    case denied = "DENIED"
    case wrongNumber = "WRONG_NUMBER"
    case expired = "EXPIRED"
  }

  let id: ID<PushRecord>
  let kind: Kind
  let realm: String
  let secret: [UInt8]
  let challenge: [UInt8]
  let deadline: Deadline
  /// The number that the page shows, which has to come back.
  var number: Int?
  var state = State.pending
  /// The claims of the message that was taken.
  var content: JSONObject = [:]

  static let maximumCount = 1000
}

extension Tenant {
  /// Begins to wait for a message of a device with that secret.
  func expectMessage(_ kind: PushRecord.Kind, _ secret: [UInt8], in realm: String, number: Int? = nil)
    throws(Refusal) -> PushRecord
  {
    let name = "\(kind.rawValue):\(UUID().uuidString.lowercased())\(clock.now.milliseconds)"
    let record = PushRecord(
      id: ID(name),
      kind: kind,
      realm: realm,
      secret: secret,
      challenge: try randomSecret(32),
      deadline: clock.deadline(in: self.amSettings.messageSeconds),
      number: number
    )
    pushRecords.put(record)
    return record
  }

  func state(of record: PushRecord) -> PushRecord.State {
    record.state == .pending && clock.isOver(record.deadline) ? .expired : record.state
  }
}
