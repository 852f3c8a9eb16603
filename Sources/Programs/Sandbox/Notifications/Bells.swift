import EventLoop

/// Wakes the long polls of devices when there is something for it.
@EventLoop
final class Bells {
  private var listeners: [ID<TrustedDevice>: [Listener]] = [:]

  nonisolated init() {}

  /// Somebody who hears every ring for some devices from now on.
  func listen(for devices: [ID<TrustedDevice>]) -> Listener {
    let listener = Listener(devices: devices)
    for device in devices { listeners[device, default: []].append(listener) }
    return listener
  }

  func dismiss(_ listener: Listener) {
    for device in listener.devices {
      listeners[device]?.removeAll { $0 === listener }
      if listeners[device]?.isEmpty ?? false { listeners[device] = nil }
    }
  }

  /// Ends the waiting of a device's polls, also of those that have not begun to wait.
  func ring(for device: ID<TrustedDevice>) { for listener in listeners[device] ?? [] { listener.hear() } }
}

@EventLoop
final class Listener {
  fileprivate let devices: [ID<TrustedDevice>]
  private var hasHeard = false
  private var nap: Task<Void, Never>?

  fileprivate init(devices: [ID<TrustedDevice>]) { self.devices = devices }

  fileprivate func hear() {
    hasHeard = true
    nap?.cancel()
  }

  /// Waits until the bell has rung or the time is over; a cancelled task waits no longer.
  func wait(atMost limit: Duration) async {
    guard !hasHeard else { return }
    let nap = EventLoop.task {
      // Being woken is no failure.
      _ = try? await EventLoop.sleep(for: limit)
    }
    self.nap = nap
    await withTaskCancellationHandler {
      await nap.value
    } onCancel: {
      nap.cancel()
    }
  }
}
