public import JSON
public import JSONRPC
public import Time

/// The operations of a sign-on on the user's devices: at PingOne, or after a journey at PingAM.
public struct DeviceOrders: ControlObject, Equatable {
  /// The kind of a device to add.
  public enum Kind: String, ControlChoice {
    case totp = "TOTP"
  }

  public struct Renaming: ControlObject, Equatable {
    /// The id of an account of this machine, or of a device.
    public let account: String
    public let nickname: String

    public static let shape = Shape(
      Renaming.init(account:nickname:),
      .required("account", \.account, as: .identifier, "the account, or the device"),
      .required("nickname", \.nickname, as: .text(maximum: 100), "the new nickname")
    )

    public init(account: String, nickname: String) { (self.account, self.nickname) = (account, nickname) }
  }

  public let add: [Kind]
  public let lists: Bool
  /// Ids of accounts of this machine, or of devices.
  public let remove: [String]
  public let rename: Renaming?
  /// Confirms the devices of `remove` and `rename` that are not this machine's by repeating their ids.
  public let confirm: [String]

  public static let shape = Shape(
    "DeviceOrders",
    DeviceOrders.init(add:lists:remove:rename:confirm:),
    .optional("add", \.add, default: [], "the devices to add for this machine"),
    .optional("list", \.lists, default: false, "true to list the devices at the end"),
    .optional("remove", \.remove, as: .array(.identifier), default: [], "the accounts or devices to remove"),
    .optional("rename", \.rename, "the account or device to rename"),
    .optional(
      "confirm",
      \.confirm,
      as: .array(.identifier),
      default: [],
      "repeats the devices to remove or rename that are not this machine's"
    )
  )

  public init(
    add: [Kind] = [],
    lists: Bool = false,
    remove: [String] = [],
    rename: Renaming? = nil,
    confirm: [String] = []
  ) {
    (self.add, self.lists, self.remove) = (add, lists, remove)
    (self.rename, self.confirm) = (rename, confirm)
  }

  /// Maximum number of devices: more than a tenant allows a user, few enough to finish soon.
  private static let maximumCount = 64

  /// True if there is an operation, `remove` has no duplicates, and no list is too long.
  public var isReasonable: Bool {
    let isSomething = !add.isEmpty || lists || !remove.isEmpty || rename != nil
    return isSomething && add.count <= 1 && max(remove.count, confirm.count) <= Self.maximumCount
      && Set(remove).count == remove.count
  }

  /// The PingOne self-service scopes that the operations require, and no others.
  public var scopes: [String] {
    var rights: Set<String> = []
    if !add.isEmpty { rights.formUnion(["create", "read", "update", "delete"]) }
    if lists { rights.insert("read") }
    if !remove.isEmpty { rights.formUnion(["read", "delete"]) }
    if rename != nil { rights.formUnion(["read", "update"]) }
    return ["create", "read", "update", "delete"].filter(rights.contains).map { "p1:\($0):device" }
  }
}

/// The result of a sign-on's operations on devices.
public struct DeviceOutcome: ControlObject {
  /// The error of one operation.
  ///
  /// Other operations may have succeeded.
  public struct Problem: ControlObject {
    /// The operation: the kind to add, the named id, `list`, or `clock` if only the local clock is wrong.
    public let subject: String
    public let code: Int
    public let reason: String
    public let message: String

    public static let shape = Shape(
      Problem.init(subject:code:reason:message:),
      .required("for", \.subject, as: .identifier, "the kind to add, the named id, list, or clock"),
      .required("code", \.code, as: .integer(Int.min...Int.max), "the code of the error"),
      .required("reason", \.reason, as: .text(maximum: 128), "the reason of the error"),
      .required("message", \.message, "the message of the error")
    )
  }

  public var added: [Account]
  /// `nil` unless the list was requested.
  public var list: [UserDevice]?
  public var removed: [String]
  public var problems: [Problem]

  public static let shape = Shape(
    "DeviceOutcome",
    DeviceOutcome.init(added:list:removed:problems:),
    .required("added", \.added, "the new accounts"),
    .optional("list", \.list, "the devices after the operations"),
    .required("removed", \.removed, "the removed accounts or devices, as named"),
    .required("errors", \.problems, "the failed operations")
  )
}

extension DeviceOutcome {
  public init() { self.init(added: [], list: nil, removed: [], problems: []) }

  /// Returns a result in which every operation has failed with this error.
  public static func failed(_ orders: DeviceOrders, _ error: RPCError) -> DeviceOutcome {
    let subjects =
      orders.add.map(\.rawValue) + orders.remove + [orders.rename?.account].compactMap { $0 }
      + (orders.lists ? ["list"] : [])
    var outcome = DeviceOutcome()
    outcome.problems = subjects.map { Problem($0, error) }
    return outcome
  }
}

extension DeviceOutcome.Problem {
  public static let clock = "clock"

  /// Takes the error that a call for this operation alone would return.
  public init(_ subject: String, _ error: RPCError) {
    self.init(subject: subject, code: error.code, reason: error.reason, message: error.message)
  }
}

/// A device of a user at PingOne or PingAM.
public struct UserDevice: ControlObject {
  public let id: String
  /// The server's type, such as `TOTP` or `MOBILE`; at PingAM `PUSH`, `OATH`, `WEBAUTHN`, `BINDING`.
  public let type: String
  /// The server's status, such as `ACTIVE` or `ACTIVATION_REQUIRED`.
  public let status: String
  public let nickname: String?
  public let createdAt: Timestamp?
  /// The account of this machine that the device corresponds to.
  public var account: String?

  public static let shape = Shape(
    "UserDevice",
    UserDevice.init(id:type:status:nickname:createdAt:account:),
    .required("id", \.id, as: .identifier, "the device's id"),
    .required("type", \.type, as: .text(maximum: 64), "the device's type"),
    .required("status", \.status, as: .text(maximum: 64), "the device's status"),
    .optional("nickname", \.nickname, "the user's name of the device"),
    .optional("createdAt", \.createdAt, "the creation time"),
    .optional("account", \.account, as: .identifier, "the corresponding account of this machine")
  )

  public init(
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
public struct Passkey: ControlObject, Equatable {
  public let relyingParty: String
  public let userName: String
  public let userDisplayName: String?
  public let lastUsedAt: Timestamp?

  public static let shape = Shape(
    Passkey.init(relyingParty:userName:userDisplayName:lastUsedAt:),
    .required("rpId", \.relyingParty, "the relying party's id"),
    .required("userName", \.userName, "the relying party's name of the user"),
    .optional("userDisplayName", \.userDisplayName, "the relying party's display name of the user"),
    .optional("lastUsedAt", \.lastUsedAt, "the time of the last use")
  )
}

/// A placeholder for a sign-on field; the daemon replaces it by a passcode of an account of this machine.
public struct OwnPasscode: ControlObject {
  /// The account's id; if empty, the daemon takes the only account that makes passcodes for the issuer.
  public let account: String

  public static let shape = Shape(
    OwnPasscode.init(account:),
    .required("passcode", \.account, as: .identifier, "the account; empty: the only one of the issuer")
  )

  public init(account: String) { self.account = account }

  /// Reads a value; `nil` if it is an ordinary value.
  public init?(value: JSON) {
    guard value.object?.names == Self.shape.properties.map(\.name),
      let wanted = try? OwnPasscode(reading: value)
    else { return nil }
    self = wanted
  }
}
