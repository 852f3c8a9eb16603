import JSON
import Time

/// A code by which a device is paired with a user, once.
struct PairingKey: Resource, Codable {
  enum Status: String, Codable, Shown {
    case unclaimed = "UNCLAIMED"
    case claimed = "CLAIMED"
    case failed = "FAILED"
  }

  private(set) var id = ID<PairingKey>.random()
  let user: ID<User>
  let code: String
  let applications: [ID<Application>]
  let deadline: Deadline
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var status = Status.unclaimed
  var failure: Failure?

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
    for user: ID<User>,
    by applications: [ID<Application>],
    _ geography: Geography
  ) -> PairingKey {
    let key = PairingKey(
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

  func validPairingKeys(of user: ID<User>) -> [PairingKey] {
    pairingKeys.all(by: user.text).filter { $0.status == .unclaimed && !clock.isOver($0.deadline) }
  }

  func setStatus(_ status: PairingKey.Status, of id: ID<PairingKey>, failure: Failure? = nil) {
    guard var key = pairingKeys[id] else { return }
    key.status = status
    key.failure = failure
    key.updatedAt = clock.now
    pairingKeys.put(key)
  }
}
