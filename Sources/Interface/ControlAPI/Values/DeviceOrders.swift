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
