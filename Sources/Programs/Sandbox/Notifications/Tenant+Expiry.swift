extension Tenant {
  /// Lets everything end whose time is over, in the order in which it ended; whatever is asked next finds it so.
  func settleExpired() {
    let expired = notifications.pending.compactMap { notifications[$0] }.filter { clock.isOver($0.deadline) }
      .sorted { $0.deadline.instant < $1.deadline.instant }
    for var notification in expired {
      notification.state = .expired
      notifications.put(notification)
      _ = countMiss(notification, at: notification.deadline)
      concludeAuthentication(of: notification)
    }
  }
}
