public import Configuration
internal import JSON
public import JSONRPC

/// What this machine is to the platforms of its geographies.
public struct DeviceReport: ControlObject {
  /// What one platform says.
  public struct Geo: Sendable {
    public let geography: Open<Geography>
    /// The id that its platform knows this machine by.
    public let deviceID: String
    public let users: [DeviceRecord]

    public init(geography: Geography, deviceID: String, users: [DeviceRecord]) {
      (self.geography, self.deviceID, self.users) = (.known(geography), deviceID, users)
    }
  }

  public let geos: [Geo]
  public let errors: [GeographyError]

  public init(geos: [Geo], errors: [GeographyError]) { (self.geos, self.errors) = (geos, errors) }

  public static let shape = Shape(
    "DeviceReport",
    DeviceReport.init(_:_:),
    .required("geos", \.wireGeos, "what those platforms say that responded, by geography"),
    .required("errors", \.errors, "why the others did not")
  )

  private var wireGeos: GeographyMap { GeographyMap(geos) }

  private init(_ geos: GeographyMap, _ errors: [GeographyError]) {
    self.init(geos: geos.geos, errors: errors)
  }
}

/// The geographies as an object, by their names.
private struct GeographyMap: ControlValue {
  let geos: [DeviceReport.Geo]

  init(_ geos: [DeviceReport.Geo]) { self.geos = geos }

  static let schema = Schema.map(DeviceReport.Geo.shape.schema)

  func write(to writer: inout JSONWriter) {
    writer.openObject()
    for geo in geos {
      writer.name(JSONWriter.Name(geo.geography.name))
      DeviceReport.Geo.shape.write(geo, to: &writer)
    }
    writer.closeObject()
  }

  init(reading json: JSON) throws(UnreadableValue) {
    geos = try JSONObject(reading: json).members.map { (member) throws(UnreadableValue) in
      let geo = try DeviceReport.Geo.shape.read(JSONObject(reading: member.value))
      return DeviceReport.Geo(geo, geography: member.name)
    }
  }
}

extension DeviceReport.Geo {
  fileprivate static let shape = Shape(
    DeviceReport.Geo.init(_:_:),
    .required("deviceId", \.deviceID, as: .identifier, "the id that the platform knows this machine by"),
    .required("users", \.users, "the pairings there")
  )

  private init(_ deviceID: String, _ users: [DeviceRecord]) {
    (geography, self.deviceID, self.users) = (.unknown(""), deviceID, users)
  }

  fileprivate init(_ geo: DeviceReport.Geo, geography: String) {
    (self.geography, deviceID, users) = (Open(name: geography), geo.deviceID, geo.users)
  }
}

/// A pairing of this machine as the platform knows it.
public struct DeviceRecord: ControlObject {
  /// Whether the machine is as the organization wants it.
  public struct Evaluation: ControlObject, Equatable {
    public let status: String
    public let reason: String?
    public let dataHash: String?

    public init(status: String, reason: String?, dataHash: String?) {
      (self.status, self.reason, self.dataHash) = (status, reason, dataHash)
    }

    public static let shape = Shape(
      Evaluation.init(status:reason:dataHash:),
      .required("status", \.status, as: .choice(["Passed", "Failed"]), "whether the machine meets them"),
      .optional("reason", \.reason, as: .text(maximum: 1600), "why it does not"),
      .optional("deviceRequirementsDataHash", \.dataHash, "what tells one state of them from another")
    )
  }

  /// What belongs to the device itself.
  public struct Device: ControlObject {
    public let id: String
    public var nickname: String?
    public let isPushEnabled: Bool
    public var lock: AccountLock?

    public static let shape = Shape(
      Device.init(id:nickname:isPushEnabled:lock:),
      .required("id", \.id, as: .identifier, "the device's id there"),
      .optional("nickname", \.nickname, "what it is called there"),
      .required("pushEnabled", \.isPushEnabled, "the platform can send it pushes"),
      .optional("lock", \.lock, "until when the platform takes nothing from it")
    )
  }

  public let user: User
  public let environment: Environment
  public var device: Device
  public var evaluation: Evaluation?

  public static let shape = Shape(
    "DeviceRecord",
    DeviceRecord.init(user:environment:device:evaluation:),
    .inline(\.user),
    .required("environment", \.environment, "the environment of the user"),
    .required("device", \.device, "this machine, as it is known for the user"),
    .optional(
      "deviceRequirementsEvaluation",
      \.evaluation,
      "whether the machine is as the organization wants it"
    )
  )
}

extension DeviceRecord {
  /// The pairing where what is personal is left out.
  public var impersonal: DeviceRecord {
    var device = device
    device.nickname = nil
    return DeviceRecord(
      user: user.impersonal,
      environment: environment,
      device: device,
      evaluation: evaluation
    )
  }

  public init(user: User, environment: String, device: String, isPushEnabled: Bool) {
    self.init(
      user: user,
      environment: Environment(id: environment),
      device: Device(id: device, isPushEnabled: isPushEnabled)
    )
  }
}

/// Why something was not done in one geography, while it may have been done in others.
public struct GeographyError: ControlObject {
  public let geography: Open<Geography>
  public let code: Int
  public let reason: String
  public let message: String

  /// What a call that concerned this geography alone would have failed with.
  public init(_ geography: Geography, _ error: RPCError) {
    self.init(
      geography: .known(geography),
      code: error.code,
      reason: error.reason,
      message: error.message
    )
  }

  private init(geography: Open<Geography>, code: Int, reason: String, message: String) {
    (self.geography, self.code, self.reason, self.message) = (geography, code, reason, message)
  }

  public static let shape = Shape(
    "GeographyError",
    GeographyError.init(geography:code:reason:message:),
    .required("geo", \.geography, "where it was not done"),
    .required("code", \.code, as: .integer(Int.min...Int.max), "the code of the error"),
    .required("reason", \.reason, as: .text(maximum: 128), "its stable name"),
    .required("message", \.message, "its sentence for a person")
  )
}
