import ControlAPI
import JSON
import Time

extension NotificationObject {
  /// A pending request as the daemon sends it, with `members` added or replaced.
  static func request(
    _ id: String = "n1",
    state: String = "pending",
    endsIn seconds: Int = 120,
    members: [String: JSON] = [:]
  ) throws -> NotificationObject {
    let now = TimeSource.system.now()
    var json: JSONObject = [
      "id": .string(id), "account": "a1", "type": "authentication", "state": .string(state),
      "title": "Sign on", "body": "Approve the sign-on to Payroll?", "timeoutDuration": 120,
      "receivedAt": .string(now.text), "expiresAt": .string(now.adding(seconds: seconds).text),
    ]
    for (name, value) in members { json[name] = value }
    return try NotificationObject(reading: .object(json))
  }
}

extension Account {
  /// An account of a user with accounts in several environments.
  static func ofAnn(_ id: String, environment: String) throws -> Account {
    try Account(
      reading: [
        "id": .string(id), "kind": "PINGONE", "geo": "Europe", "environment": ["id": .string(environment)],
        "user": ["id": "u1", "username": "ann", "name": ["given": "Ann", "family": "Lee"]], "label": "ann",
        "nickname": "work", "authenticators": [], "locked": false, "createdAt": "2026-11-21T09:00:00Z",
      ]
    )
  }
}
