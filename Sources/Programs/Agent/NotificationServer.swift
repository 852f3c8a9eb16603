internal import Bus
internal import EventLoop

/// The program that shows notifications on this desktop, by the Desktop Notifications Specification 1.2.
@EventLoop
final class NotificationServer {
  var onPress: (@EventLoop (UInt32, String) -> Void)?
  /// Called with the number of a closed notification, and true if the user dismissed it.
  var onClosed: (@EventLoop (UInt32, _ byPerson: Bool) -> Void)?
  /// Called when the server's bus name has a new owner or none: all shown notifications are gone.
  var onReplaced: (@EventLoop () -> Void)?

  /// The capabilities of the notification server.
  struct Capabilities {
    let hasButtons: Bool
    let hasBodies: Bool
    /// True if the server interprets markup in bodies.
    let readsMarkup: Bool

    init(_ names: [String]) {
      hasButtons = names.contains("actions")
      hasBodies = names.contains("body")
      readsMarkup = names.contains("body-markup")
    }
  }

  private let bus: Bus
  private var known: (owner: String, capabilities: Capabilities)?

  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  private static let pressed = "ActionInvoked"
  private static let closed = "NotificationClosed"
  /// The close reason of a notification that the user dismissed.
  private static let dismissed: UInt32 = 2
  private static let briefMilliseconds: Int32 = 10_000

  init(_ bus: Bus) { self.bus = bus }

  /// Subscribes to pressed buttons, closed notifications and changes of the server.
  func listen() async throws(BusError) {
    try await bus.listen(for: "type='signal',sender='\(Self.name)',interface='\(Self.name)'")
    try await bus.listen(for: BusName.rule(for: Self.name))
  }

  /// Returns the capabilities of the running server.
  ///
  /// The bus starts a server if none runs.
  func capabilities() async throws(BusError) -> Capabilities {
    if let known { return known.capabilities }
    let reply = try await call("GetCapabilities", at: Self.name)
    guard let owner = reply.sender, let names = reply.values.first?.strings else { throw .malformed }
    let capabilities = Capabilities(names)
    known = (owner, capabilities)
    return capabilities
  }

  /// Shows a notification, replacing the one with this number (0: none), and returns its number.
  ///
  /// Waits without a limit while the server is on the bus. After a time-out, the server could still show the
  /// notification, and the agent could not close it without its number.
  func show(_ popup: Popup, replacing number: UInt32) async throws(BusError) -> UInt32 {
    guard let known else { throw .disconnected }
    let body = popup.body(known.capabilities)
    let summary = known.capabilities.hasBodies || body.isEmpty ? popup.summary : "\(popup.summary): \(body)"
    let reply = try await call(
      "Notify",
      at: known.owner,
      [
        .string("mfa-agent"), .uint32(number), .string("dialog-password"), .string(summary),
        .string(known.capabilities.hasBodies ? body : ""),
        .strings(popup.presses.flatMap { [$0.key, $0.label] }),
        .options([:]),
        .int32(popup.isBrief ? Self.briefMilliseconds : 0),
      ],
      within: nil
    )
    guard let shown = reply.values.first?.uint32, shown != 0 else {
      // The server violates the specification: query its capabilities again at the next attempt.
      self.known = nil
      throw .malformed
    }
    guard self.known?.owner == known.owner else {
      await close(shown, at: known.owner)
      throw .disconnected
    }
    return shown
  }

  /// Closes a notification.
  ///
  /// It is no error if the notification is already gone.
  func close(_ number: UInt32) async {
    guard let known else { return }
    await close(number, at: known.owner)
  }

  private func close(_ number: UInt32, at owner: String) async {
    _ = try? await call("CloseNotification", at: owner, [.uint32(number)])
  }

  /// True if a signal comes from the server and concerns notifications.
  func wants(_ signal: BusSignal) -> Bool {
    signal.interface == Self.name && signal.sender == known?.owner
      && [Self.pressed, Self.closed].contains(signal.name)
  }

  /// Handles a signal about notifications or about the owner of the server's name.
  func take(_ signal: BusSignal) {
    if let owner = BusName.owner(of: Self.name, signal) {
      guard owner != known?.owner else { return }
      known = nil
      onReplaced?()
    } else if wants(signal), let number = signal.values.first?.uint32 {
      switch signal.name {
      case Self.pressed where signal.values.count > 1: signal.values[1].string.map { onPress?(number, $0) }
      case Self.closed: onClosed?(number, signal.values.dropFirst().first?.uint32 == Self.dismissed)
      default: break
      }
    }
  }

  private func call(
    _ method: String,
    at destination: String,
    _ arguments: [BusValue] = [],
    within limit: Duration? = .seconds(25)
  ) async throws(BusError) -> BusReply {
    let call = BusCall(destination, Self.path, Self.name, method, arguments, startsProgram: true)
    return try await bus.call(call, within: limit)
  }
}

extension Popup {
  /// Returns the lines as one text; escapes markup characters if the server interprets markup.
  func body(_ capabilities: NotificationServer.Capabilities) -> String {
    let text = lines.joined(separator: capabilities.hasBodies ? "\n" : "; ")
    guard capabilities.hasBodies, capabilities.readsMarkup else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// Owners of names on the bus.
enum BusName {
  private static let bus = "org.freedesktop.DBus"
  private static let change = "NameOwnerChanged"

  /// Returns the match rule for owner changes of one name.
  static func rule(for name: String) -> String {
    "type='signal',sender='\(bus)',interface='\(bus)',member='\(change)',arg0='\(name)'"
  }

  /// True if the signal is the bus's notice of an owner change.
  static func isChange(_ signal: BusSignal) -> Bool {
    signal.sender == bus && signal.interface == bus && signal.name == change
  }

  /// Returns the unique name of the new owner, empty for none; `nil` if the signal does not concern `name`.
  static func owner(of name: String, _ signal: BusSignal) -> String? {
    guard isChange(signal), signal.values.count == 3, signal.values[0].string == name else { return nil }
    return signal.values[2].string
  }
}
