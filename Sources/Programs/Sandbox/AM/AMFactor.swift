import JSON
import Time

/// A second factor of a user at AM, which AM calls a device.
struct AMFactor: Stored, Codable {
  enum Kind: String, CaseIterable {
    case push, oath, binding
  }

  /// What only a device for pushes has.
  struct Push: Codable {
    let secret: [UInt8]
    /// How the device calls itself in messages.
    let mechanism: String
    /// Where pushes go: a token, or an address.
    var deviceID: String
    var deviceType: String?
    var communicationType: String?
  }

  let id: ID<AMFactor>
  let user: ID<User>
  let realm: String
  let createdAt: Timestamp
  var usedAt: Timestamp
  var name: String { didSet { changes += 1 } }
  private var changes = 0
  var push: Push?
  var oath: OATHFactor?
  var key: DeviceKey?

  init(_ id: ID<AMFactor>, of user: ID<User>, in realm: String, named name: String, at now: Timestamp) {
    self.id = id
    self.user = user
    self.realm = realm
    self.name = name
    (createdAt, usedAt) = (now, now)
  }

  var kind: Kind { push != nil ? .push : key != nil ? .binding : .oath }

  var handles: [String] { [user.text] }

  /// By what a change says which state it is of.
  var revision: String { String(changes) }

  var json: JSON {
    .of([
      "_id": id, "_rev": revision, "uuid": id, "deviceName": name,
      "createdDate": Int(createdAt.milliseconds), "lastAccessDate": Int(usedAt.milliseconds),
      "deviceId": key?.deviceID, "key": key?.json,
    ])
  }
}

extension Tenant {
  /// What a user has of a kind in a realm; of several the first, as AM takes it.
  func factors(of user: ID<User>, _ kind: AMFactor.Kind, in realm: String) -> [AMFactor] {
    factors.all(by: user.text).filter { $0.kind == kind && $0.realm == realm }
  }
}
