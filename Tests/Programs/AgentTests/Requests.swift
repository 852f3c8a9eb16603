import ControlAPI
import JSON
import Time

extension NotificationObject {
  /// A request that waits, as the daemon tells it, with more or other members.
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
