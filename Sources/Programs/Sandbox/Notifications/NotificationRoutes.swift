import EventLoop
import HTTPServer
import JSON

@EventLoop
enum NotificationRoutes {
  static let routes: [Route<DeviceEndpoint>] = [
    .device("GET", "/notifications", poll), .device("GET", "/notifications/{notification}", status),
    .device("POST", "/push-test", test),
  ]

  private static let maximumCount = 50
  /// Maximum size of all tokens of a response.
  ///
  /// A response has at most 1 MiB, and signing and encryption enlarge the tokens by three quarters.
  static let maximumBytes = 300 * 1024

  /// Returns all outstanding notifications, or with a cursor only the notifications after it.
  ///
  /// A response without notifications also has a cursor, so that the next poll continues there.
  private static func poll(_ call: ProvenCall) async throws(ErrorResponse) -> SealedResponse {
    let (tenant, sender) = (call.tenant, try call.sender())
    var after = 0
    if let cursor = call.call.query("after") {
      guard cursor.utf8.count <= 64, let sequence = tenant.notifications.sequence(of: cursor)
      else { throw .cursorUnknown }
      after = sequence
    }
    guard let wait = Int(call.call.query("wait") ?? "0"), wait >= 0 else {
      throw .invalid("wait", "must be a number of seconds")
    }
    // Listen before checking for pushes. Otherwise a push that arrives in between is missed.
    let listener = tenant.bells.listen(for: [sender.id])
    if tenant.outstanding(for: sender.id, after: after).isEmpty, wait > 0 {
      await listener.wait(atMost: .seconds(min(wait, 30)))
    }
    tenant.bells.dismiss(listener)
    return SealedResponse(200, page(for: sender.id, after: after, tenant).json)
  }

  /// The result of one poll of a device.
  struct Page {
    let isEmpty: Bool
    let json: JSON
  }

  static func page(
    for device: ID<TrustedDevice>,
    after: Int,
    _ tenant: Tenant,
    maximumBytes: Int = maximumBytes
  ) -> Page {
    let outstanding = tenant.outstanding(for: device, after: after)
    let page = page(of: outstanding, maximumBytes)
    let isMore = page.count < outstanding.count
    let last = isMore ? page.last?.sequence ?? after : tenant.notifications.lastSequence
    let json = JSON.of([
      "notifications": page.map(\.token), "cursor": tenant.notifications.cursor(after: last), "more": isMore,
    ])
    return Page(isEmpty: page.isEmpty, json: json)
  }

  /// Returns the notifications that fit into one response, but at least one, since each fits alone.
  private static func page(of outstanding: [Notification], _ maximumBytes: Int) -> ArraySlice<Notification> {
    var bytes = 0
    let end = outstanding.prefix(maximumCount).firstIndex { notification in
      bytes += notification.token.utf8.count
      return bytes > maximumBytes
    }
    return outstanding.prefix(max(1, end ?? maximumCount))
  }

  private static func status(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let notification = try call.notification()
    return SealedResponse(200, .object(call.tenant.outcome(of: notification)))
  }

  /// Starts a push test.
  ///
  /// The sandbox sends a push only if pushes can reach the device; the device checks whether one arrives.
  private static func test(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let sender = try call.sender()
    guard let pairing = call.tenant.pairings(on: sender.id).first else { throw .deviceNotPaired }
    let id = ID<Notification>.random()
    if call.tenant.pushObstacle(of: sender) == nil {
      try call.tenant.sendTest(id, to: sender.id, about: pairing.user)
    }
    return SealedResponse(201, ["id": id.json])
  }
}

extension ProvenCall {
  func notification() throws(ErrorResponse) -> Notification {
    let sender = try sender()
    guard let notification = tenant.notifications[id("notification", of: Notification.self)] else {
      throw .notFound
    }
    guard notification.device == sender.id else { throw .deviceMismatch }
    return notification
  }
}

extension Tenant {
  /// Returns the status of a notification: `{status, answeredBy?}`.
  func outcome(of notification: Notification) -> JSONObject {
    var outcome: JSONObject = ["status": .string(state(of: notification).rawValue)]
    outcome["answeredBy"] = notification.answerer.map { .string($0.text) }
    return outcome
  }

  fileprivate func outstanding(for device: ID<TrustedDevice>, after sequence: Int) -> [Notification] {
    notifications.outstanding(for: device).filter { notification in
      guard notification.sequence > sequence else { return false }
      return switch state(of: notification) {
      case .pending: true
      case .done: !clock.isOver(notification.deadline)
      case .approved, .denied, .expired, .cancelled: false
      }
    }
  }
}
