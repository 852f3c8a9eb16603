public import Configuration
internal import JSON
public import JSONRPC

/// This machine's registrations at the platforms of its geographies.
public struct DeviceReport: ControlObject {
  /// The response of one platform.
  public struct Geo: Sendable {
    public let geography: Open<Geography>
    /// The platform's id of this machine.
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
    .required("geos", \.wireGeos, "the responses of the platforms, by geography"),
    .required("errors", \.errors, "the errors of the other geographies")
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
    .required("deviceId", \.deviceID, as: .identifier, "the platform's id of this machine"),
    .required("users", \.users, "the pairings at the platform")
  )

  private init(_ deviceID: String, _ users: [DeviceRecord]) {
    (geography, self.deviceID, self.users) = (.unknown(""), deviceID, users)
  }

  fileprivate init(_ geo: DeviceReport.Geo, geography: String) {
    (self.geography, deviceID, users) = (Open(name: geography), geo.deviceID, geo.users)
  }
}

/// A pairing of this machine, as the platform reports it.
public struct DeviceRecord: ControlObject {
  /// The platform's check of the organization's device requirements.
  public struct Evaluation: ControlObject, Equatable {
    public let status: String
    public let reason: String?
    public let dataHash: String?

    public init(status: String, reason: String?, dataHash: String?) {
      (self.status, self.reason, self.dataHash) = (status, reason, dataHash)
    }

    public static let shape = Shape(
      Evaluation.init(status:reason:dataHash:),
      .required("status", \.status, as: .choice(["Passed", "Failed"]), "the result"),
      .optional("reason", \.reason, as: .text(maximum: 1600), "the reason of a failure"),
      .optional("deviceRequirementsDataHash", \.dataHash, "the hash of the checked data")
    )
  }

  /// The data of the device itself.
  public struct Device: ControlObject {
    public let id: String
    public var nickname: String?
    public let isPushEnabled: Bool
    public var lock: AccountLock?

    public static let shape = Shape(
      Device.init(id:nickname:isPushEnabled:lock:),
      .required("id", \.id, as: .identifier, "the platform's id of the device"),
      .optional("nickname", \.nickname, "the platform's name of the device"),
      .required("pushEnabled", \.isPushEnabled, "true if the platform can send it pushes"),
      .optional("lock", \.lock, "the lock of the device")
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
    .required("device", \.device, "this machine as a device of the user"),
    .optional(
      "deviceRequirementsEvaluation",
      \.evaluation,
      "the check of the organization's device requirements"
    )
  )
}

extension DeviceRecord {
  /// The pairing without personal data.
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

/// The error of an operation in one geography.
///
/// The operation may have succeeded in other geographies.
public struct GeographyError: ControlObject {
  public let geography: Open<Geography>
  public let code: Int
  public let reason: String
  public let message: String

  /// Takes the error that a call for this geography alone would return.
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
    .required("geo", \.geography, "the geography"),
    .required("code", \.code, as: .integer(Int.min...Int.max), "the code of the error"),
    .required("reason", \.reason, as: .text(maximum: 128), "the reason of the error"),
    .required("message", \.message, "the message of the error")
  )
}
