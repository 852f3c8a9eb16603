public import JSON
public import JSONRPC
public import Time

/// What a sign-on does with the devices of whoever signs on, in their name: at PingOne, or after a journey at PingAM.
public struct DeviceOrders: ControlObject, Equatable {
  /// What can be added.
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
      .required("nickname", \.nickname, as: .text(maximum: 100), "what it is called from now on")
    )

    public init(account: String, nickname: String) { (self.account, self.nickname) = (account, nickname) }
  }

  public let add: [Kind]
  public let lists: Bool
  /// Ids of accounts of this machine, or of devices.
  public let remove: [String]
  public let rename: Renaming?
  /// The devices once more that are not this machine's.
  public let confirm: [String]

  public static let shape = Shape(
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

  /// More than a tenant lets a user have, and less than would keep anybody waiting.
  private static let maximumCount = 64

  /// Whether there is something to be done, nothing twice, and not too much.
  public var isReasonable: Bool {
    let isSomething = !add.isEmpty || lists || !remove.isEmpty || rename != nil
    return isSomething && add.count <= 1 && max(remove.count, confirm.count) <= Self.maximumCount
      && Set(remove).count == remove.count
  }

  /// The scopes of PingOne's self-service that this needs, and no others.
  public var scopes: [String] {
    var rights: Set<String> = []
    if !add.isEmpty { rights.formUnion(["create", "read", "update", "delete"]) }
    if lists { rights.insert("read") }
    if !remove.isEmpty { rights.formUnion(["read", "delete"]) }
    if rename != nil { rights.formUnion(["read", "update"]) }
    return ["create", "read", "update", "delete"].filter(rights.contains).map { "p1:\($0):device" }
  }
}

/// What became of what a sign-on was to do with devices.
public struct DeviceOutcome: ControlObject {
  /// Why one thing was not done, while others may have been.
  public struct Problem: ControlObject {
    /// What was to be done: the kind that was to be added, the id that was named, `list`, or `clock` where only the
    /// clock of this machine is wrong.
    public let subject: String
    public let code: Int
    public let reason: String
    public let message: String

    public static let shape = Shape(
      Problem.init(subject:code:reason:message:),
      .required("for", \.subject, as: .identifier, "the kind to add, the id that was named, list, or clock"),
      .required("code", \.code, as: .integer(Int.min...Int.max), "the code of the error"),
      .required("reason", \.reason, as: .text(maximum: 128), "its stable name"),
      .required("message", \.message, "its sentence for a person")
    )
  }

  public var added: [Account]
  /// `nil` unless they were asked for.
  public var list: [UserDevice]?
  public var removed: [String]
  public var problems: [Problem]

  public static let shape = Shape(
    "DeviceOutcome",
    DeviceOutcome.init(added:list:removed:problems:),
    .required("added", \.added, "the accounts that were made"),
    .optional("list", \.list, "the devices that there are now"),
    .required("removed", \.removed, "what was removed, as it was named"),
    .required("errors", \.problems, "what was not done")
  )
}

extension DeviceOutcome {
  public init() { self.init(added: [], list: nil, removed: [], problems: []) }

  /// Nothing of what was to be done could be.
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

  /// What a call that concerned this alone would have failed with.
  public init(_ subject: String, _ error: RPCError) {
    self.init(subject: subject, code: error.code, reason: error.reason, message: error.message)
  }
}

/// A device of a user at PingOne or PingAM.
public struct UserDevice: ControlObject {
  public let id: String
  /// The other side's name of its type, such as `TOTP` or `MOBILE`; of PingAM `PUSH`, `OATH`, `WEBAUTHN`, `BINDING`.
  public let type: String
  /// Such as `ACTIVE` or `ACTIVATION_REQUIRED`.
  public let status: String
  public let nickname: String?
  public let createdAt: Timestamp?
  /// The account of this machine that it is.
  public var account: String?

  public static let shape = Shape(
    "UserDevice",
    UserDevice.init(id:type:status:nickname:createdAt:account:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("type", \.type, as: .text(maximum: 64), "what it is"),
    .required("status", \.status, as: .text(maximum: 64), "whether it can be used"),
    .optional("nickname", \.nickname, "what its user calls it"),
    .optional("createdAt", \.createdAt, "when it was made"),
    .optional("account", \.account, as: .identifier, "the account of this machine that it is")
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
    .required("rpId", \.relyingParty, "the id of the relying party that it is for"),
    .required("userName", \.userName, "the relying party's name of the user"),
    .optional("userDisplayName", \.userDisplayName, "what the relying party calls the user"),
    .optional("lastUsedAt", \.lastUsedAt, "when it was used last")
  )
}

/// In the place of a value of a sign-on's field: a passcode of an account of this machine.
public struct OwnPasscode: ControlObject {
  /// The id of the account; empty: the only one that makes passcodes for the issuer.
  public let account: String

  public static let shape = Shape(
    OwnPasscode.init(account:),
    .required("passcode", \.account, as: .identifier, "the account; empty: the only one of the issuer")
  )

  public init(account: String) { self.account = account }

  /// What a value asks for; `nil` if it is a value like others.
  public init?(value: JSON) {
    guard value.object?.names == Self.shape.properties.map(\.name),
      let wanted = try? OwnPasscode(reading: value)
    else { return nil }
    self = wanted
  }
}
