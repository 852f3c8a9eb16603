package import JSON
package import JSONRPC
package import Time

/// What a sign-on does with the devices of whoever signs on, in their name: at PingOne, or after a journey at PingAM.
package struct DeviceOrders: ControlObject, Equatable {
  /// What can be added.
  package enum Kind: String, ControlChoice {
    case totp = "TOTP"
  }

  package struct Renaming: ControlObject, Equatable {
    /// The id of an account of this machine, or of a device.
    package let account: String
    package let nickname: String

    package static let shape = Shape(
      Renaming.init(account:nickname:),
      .required("account", \.account, as: .identifier, "the account, or the device"),
      .required("nickname", \.nickname, as: .text(maximum: 100), "what it is called from now on")
    )

    package init(account: String, nickname: String) { (self.account, self.nickname) = (account, nickname) }
  }

  package let add: [Kind]
  package let lists: Bool
  /// Ids of accounts of this machine, or of devices.
  package let remove: [String]
  package let rename: Renaming?
  /// The devices once more that are not this machine's.
  package let confirm: [String]

  package static let shape = Shape(
    "DeviceOrders",
    DeviceOrders.init(add:lists:remove:rename:confirm:),
    .optional("add", \.add, default: [], "what this machine becomes"),
    .optional("list", \.lists, default: false, "tell which devices there are, at the end"),
    .optional("remove", \.remove, as: .array(.identifier), default: [], "the accounts or devices to remove"),
    .optional("rename", \.rename, "the account or device to rename"),
    .optional(
      "confirm",
      \.confirm,
      as: .array(.identifier),
      default: [],
      "once more the devices to remove or rename that are not this machine's"
    )
  )

  package init(
    add: [Kind] = [],
    lists: Bool = false,
    remove: [String] = [],
    rename: Renaming? = nil,
    confirm: [String] = []
  ) {
    (self.add, self.lists, self.remove) = (add, lists, remove)
    (self.rename, self.confirm) = (rename, confirm)
  }

  /// More than a tenant lets a user have, and less than would keep anybody waiting.
  private static let maximumCount = 64

  /// Whether there is something to be done, nothing twice, and not too much.
  package var isReasonable: Bool {
    let isSomething = !add.isEmpty || lists || !remove.isEmpty || rename != nil
    return isSomething && add.count <= 1 && max(remove.count, confirm.count) <= Self.maximumCount
      && Set(remove).count == remove.count
  }

  /// The scopes of PingOne's self-service that this needs, and no others.
  package var scopes: [String] {
    var rights: Set<String> = []
    if !add.isEmpty { rights.formUnion(["create", "read", "update", "delete"]) }
    if lists { rights.insert("read") }
    if !remove.isEmpty { rights.formUnion(["read", "delete"]) }
    if rename != nil { rights.formUnion(["read", "update"]) }
    return ["create", "read", "update", "delete"].filter(rights.contains).map { "p1:\($0):device" }
  }
}

/// What became of what a sign-on was to do with devices.
package struct DeviceOutcome: ControlObject {
  /// Why one thing was not done, while others may have been.
  package struct Problem: ControlObject {
    /// What was to be done: the kind that was to be added, the id that was named, `list`, or `clock` where only the
    /// clock of this machine is wrong.
    package let subject: String
    package let code: Int
    package let reason: String
    package let message: String

    package static let shape = Shape(
      Problem.init(subject:code:reason:message:),
      .required("for", \.subject, as: .identifier, "the kind to add, the id that was named, list, or clock"),
      .required("code", \.code, as: .integer(Int.min...Int.max), "the code of the error"),
      .required("reason", \.reason, as: .text(maximum: 128), "its stable name"),
      .required("message", \.message, "its sentence for a person")
    )
  }

  package var added: [Account]
  /// `nil` unless they were asked for.
  package var list: [UserDevice]?
  package var removed: [String]
  package var problems: [Problem]

  package static let shape = Shape(
    "DeviceOutcome",
    DeviceOutcome.init(added:list:removed:problems:),
    .required("added", \.added, "the accounts that were made"),
    .optional("list", \.list, "the devices that there are now"),
    .required("removed", \.removed, "what was removed, as it was named"),
    .required("errors", \.problems, "what was not done")
  )
}

extension DeviceOutcome {
  package init() { self.init(added: [], list: nil, removed: [], problems: []) }

  /// Nothing of what was to be done could be.
  package static func failed(_ orders: DeviceOrders, _ error: RPCError) -> DeviceOutcome {
    let subjects =
      orders.add.map(\.rawValue) + orders.remove + [orders.rename?.account].compactMap { $0 }
      + (orders.lists ? ["list"] : [])
    var outcome = DeviceOutcome()
    outcome.problems = subjects.map { Problem($0, error) }
    return outcome
  }
}

extension DeviceOutcome.Problem {
  package static let clock = "clock"

  /// What a call that concerned this alone would have failed with.
  package init(_ subject: String, _ error: RPCError) {
    self.init(subject: subject, code: error.code, reason: error.reason, message: error.message)
  }
}

/// A device of a user at PingOne or PingAM.
package struct UserDevice: ControlObject {
  package let id: String
  /// The other side's name of its type, such as `TOTP` or `MOBILE`; of PingAM `PUSH`, `OATH`, `WEBAUTHN`, `BINDING`.
  package let type: String
  /// Such as `ACTIVE` or `ACTIVATION_REQUIRED`.
  package let status: String
  package let nickname: String?
  package let createdAt: Timestamp?
  /// The account of this machine that it is.
  package var account: String?

  package static let shape = Shape(
    "UserDevice",
    UserDevice.init(id:type:status:nickname:createdAt:account:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("type", \.type, as: .text(maximum: 64), "what it is"),
    .required("status", \.status, as: .text(maximum: 64), "whether it can be used"),
    .optional("nickname", \.nickname, "what its user calls it"),
    .optional("createdAt", \.createdAt, "when it was made"),
    .optional("account", \.account, as: .identifier, "the account of this machine that it is")
  )

  package init(
    id: String,
    type: String,
    status: String,
    nickname: String? = nil,
    createdAt: Timestamp? = nil,
    account: String? = nil
  ) {
    (self.id, self.type, self.status) = (id, type, status)
    (self.nickname, self.createdAt, self.account) = (nickname, createdAt, account)
  }
}

/// A discoverable WebAuthn credential.
package struct Passkey: ControlObject, Equatable {
  package let relyingParty: String
  package let userName: String
  package let userDisplayName: String?
  package let lastUsedAt: Timestamp?

  package static let shape = Shape(
    Passkey.init(relyingParty:userName:userDisplayName:lastUsedAt:),
    .required("rpId", \.relyingParty, "the id of the relying party that it is for"),
    .required("userName", \.userName, "the relying party's name of the user"),
    .optional("userDisplayName", \.userDisplayName, "what the relying party calls the user"),
    .optional("lastUsedAt", \.lastUsedAt, "when it was used last")
  )
}

/// In the place of a value of a sign-on's field: a passcode of an account of this machine.
package struct OwnPasscode: ControlObject {
  /// The id of the account; empty: the only one that makes passcodes for the issuer.
  package let account: String

  package static let shape = Shape(
    OwnPasscode.init(account:),
    .required("passcode", \.account, as: .identifier, "the account; empty: the only one of the issuer")
  )

  package init(account: String) { self.account = account }

  /// What a value asks for; `nil` if it is a value like others.
  package init?(value: JSON) {
    guard value.object?.names == Self.shape.properties.map(\.name),
      let wanted = try? OwnPasscode(reading: value)
    else { return nil }
    self = wanted
  }
}
