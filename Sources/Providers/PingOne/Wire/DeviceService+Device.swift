internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import Text

extension DeviceService {
  private static let mostUsers = 256

  public func setPushChannel(
    _ credentials: DeviceCredentials,
    _ channel: PushChannel,
    token: String?
  ) async throws(PlatformError) -> Bool {
    var body: JSONObject = [
      "provider": .string(channel.provider.rawValue), "allowed": .bool(channel.isAllowed),
    ]
    body["token"] = token.map { .string($0) }
    body["environment"] = channel.environment.map { .string($0.rawValue) }
    let response = try await send(DeviceCall(method: .put, path: "/push", body: body), as: credentials)
      .succeeded()
    return response["pushEnabled"]?.bool ?? channel.isEnabled
  }

  public func info(_ credentials: DeviceCredentials) async throws(PlatformError) -> PlatformInfo {
    let body = try await send(DeviceCall(method: .get, path: "/info"), as: credentials).succeeded()
    guard let users = body["users"]?.array, users.count <= Self.mostUsers else { throw .failed(.malformed) }
    let records = users.compactMap(Self.record)
    // Fail on a partly invalid response, because missing records would count as unpaired users.
    guard records.count == users.count else { throw .failed(.malformed) }
    return PlatformInfo(users: records, areLogsRequested: body["logsRequested"]?.bool ?? false)
  }

  private static func record(_ json: JSON) -> DeviceRecord? {
    guard let user = User(platform: json), let device = json["device"],
      let environment = json["environment"]?["id"]?.string, environment.isIdentifier,
      let id = device["id"]?.string, id.isIdentifier
    else { return nil }
    var record = DeviceRecord(
      user: user,
      environment: environment,
      device: id,
      isPushEnabled: device["pushEnabled"]?.bool ?? false
    )
    record.device.nickname = device["nickname"]?.string.flatMap(text)
    if let lock = device["lock"], !lock.isNull {
      // Reject a record with an invalid lock: without its lock, the account would become unlocked.
      guard let lock = AccountLock(platform: lock) else { return nil }
      record.device.lock = lock
    }
    if let evaluation = json["deviceRequirementsEvaluation"],
      let status = evaluation["status"]?.string, ["Passed", "Failed"].contains(status)
    {
      record.evaluation = DeviceRecord.Evaluation(
        status: status,
        reason: evaluation["reason"]?.string.flatMap(text),
        dataHash: evaluation["deviceRequirementsDataHash"]?.string.flatMap(text)
      )
    }
    return record
  }

  private static func text(_ text: String) -> String? {
    let clean = DisplayText.clean(text)
    return clean.isEmpty ? nil : clean
  }

  public func testPush(_ credentials: DeviceCredentials) async throws(PlatformError) -> String {
    let call = DeviceCall(method: .post, path: "/push-test", body: [:])
    let id = try await send(call, as: credentials).succeeded()["id"]?.string
    guard let id, id.isIdentifier else { throw .failed(.malformed) }
    return id
  }

  public func sendLogs(_ credentials: DeviceCredentials, _ report: LogReport) async throws(PlatformError)
    -> String
  {
    let call = DeviceCall(method: .post, path: "/logs", body: ["text": .string(report.text)])
    let id = try await send(call, as: credentials).succeeded()["supportId"]?.string
    guard let id, id.isIdentifier else { throw .failed(.malformed) }
    return id
  }
}
