import EventLoop
import HTTPServer
import JSON
import Time

/// A single-use code that pairs a device with a user.
struct IssuedPairingKey: Resource, Codable {
  enum Status: String, Codable, Shown {
    case unclaimed = "UNCLAIMED"
    case claimed = "CLAIMED"
    case failed = "FAILED"
  }

  private(set) var id = ID<IssuedPairingKey>.random()
  let user: ID<PlatformUser>
  let code: String
  let applications: [ID<Application>]
  let deadline: EndTime
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var status = Status.unclaimed
  var failure: FailureReason?

  static let maximumCount = 10_000

  var handles: [String] { [code, user.text] }

  func json(in tenant: Tenant) -> JSON {
    let address = "\(tenant.managementURL)/users/\(user.text)"
    return .of([
      "_links": JSON.links(["self": "\(address)/pairingKeys/\(id.text)", "user": address]), "id": id,
      "environment": tenant.environment.id.reference, "user": user.reference, "code": code, "status": status,
      "error": failure, "applications": applications.map(\.reference), "policy": tenant.policy.id.reference,
      "createdAt": createdAt, "updatedAt": updatedAt, "expiresAt": tenant.clock.instant(of: deadline),
    ])
  }
}

extension Tenant {
  func makePairingKey(
    for user: ID<PlatformUser>,
    by applications: [ID<Application>],
    _ geography: PlatformGeography
  ) -> IssuedPairingKey {
    let key = IssuedPairingKey(
      user: user,
      code: pairingKeys.unused { geography.prefix + mfaSettings.pairingKeyFormat.random },
      applications: applications,
      deadline: clock.deadline(in: policy.pairingKeyLifetime.seconds),
      createdAt: clock.now,
      updatedAt: clock.now
    )
    pairingKeys.put(key)
    return key
  }

  func validPairingKeys(of user: ID<PlatformUser>) -> [IssuedPairingKey] {
    pairingKeys.all(by: user.text).filter { $0.status == .unclaimed && !clock.isOver($0.deadline) }
  }

  func setStatus(
    _ status: IssuedPairingKey.Status,
    of id: ID<IssuedPairingKey>,
    failure: FailureReason? = nil
  ) {
    guard var key = pairingKeys[id] else { return }
    key.status = status
    key.failure = failure
    key.updatedAt = clock.now
    pairingKeys.put(key)
  }
}

/// `/v1/environments/{environment}/users/{user}/pairingKeys`; the platform does not list pairing keys.
@EventLoop
enum PairingKeyRoutes {
  private nonisolated static let all = "\(Tenant.managed)/users/{user}/pairingKeys"

  static let routes: [Route<Endpoint>] = [
    .administrator("POST", all, create), .administrator("GET", "\(all)/{pairingKey}", read),
    .administrator("DELETE", "\(all)/{pairingKey}", delete),
  ]

  private static let maximumValidKeys = 20

  private static func create(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let tenant = call.tenant
    let (user, body) = (try call.user(), try call.body())
    var applications: [ID<Application>] = []
    for named in try body.list("applications") ?? [] {
      let id = ID<Application>(try named.requiredText("id", maximum: 64))
      guard id == tenant.application.id else {
        throw named.invalid("id", "is not an application of this environment")
      }
      applications.append(id)
    }
    _ = try body.names("policy", tenant.policy.id, "a policy")
    guard tenant.validPairingKeys(of: user.id).count < maximumValidKeys else {
      let message = "A user can have at most \(maximumValidKeys) valid pairing keys."
      throw ErrorResponse(400, "LIMIT_EXCEEDED", message)
    }
    // PingOne does not have this member. One sandbox represents the platform in all geographies.
    let region = try body.text("region") ?? PlatformGeography.northAmerica.regionCode
    guard let geography = PlatformGeography.allCases.first(where: { $0.regionCode == region }) else {
      throw .invalid("region", "must be one of \(PlatformGeography.regionCodes.joined(separator: ", "))")
    }
    return call.shown(tenant.makePairingKey(for: user.id, by: applications, geography), 201)
  }

  private static func read(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    call.shown(try key(of: call))
  }

  private static func delete(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    call.tenant.pairingKeys[try key(of: call).id] = nil
    return .noContent
  }

  private static func key(of call: Call) throws(ErrorResponse) -> IssuedPairingKey {
    try call.one("pairingKey", of: call.tenant.pairingKeys.all(by: try call.user().id.text))
  }
}
