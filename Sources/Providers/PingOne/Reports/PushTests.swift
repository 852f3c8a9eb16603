internal import Accounts
internal import Approvals
internal import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
internal import Vault

/// Checks the conditions for receiving a push, and requests a test push.
@EventLoop
public final class PushTests {
  private let devices: Devices
  private let pushes: Pushes
  private let channels: PushChannels
  private let poller: Poller
  private let reports: DeviceReports
  private let events: EventHub
  private var testing: Set<uid_t> = []

  public init(
    devices: Devices,
    pushes: Pushes,
    channels: PushChannels,
    poller: Poller,
    reports: DeviceReports
  ) {
    (self.devices, self.pushes, self.channels) = (devices, pushes, channels)
    (self.poller, self.reports) = (poller, reports)
    events = devices.core.events
  }

  private static let patience = Duration.seconds(20)

  /// Runs the test; throws `pushTestRunning` if a test of the owner is in progress.
  public func run(_ request: DeviceTestPush, owner: uid_t) async throws -> PushTestReport {
    let identity = try testedIdentity(of: owner, request)
    guard testing.insert(owner).inserted else { throw RPCError.pushTestRunning }
    defer { testing.remove(owner) }
    let channel = try channels.channel(of: owner)
    // Check this before the test itself subscribes.
    let listeners = events.hasSubscribers(to: .notification, of: owner)
    var tests = way(channel, identity)
    tests.insert(audience(listeners), at: tests.count - 1)
    tests += [await connectivity(identity), .init(.categories, .pass)]
    guard channel.isEnabled else {
      let reason = "not tested, because pushes cannot reach this machine"
      return PushTestReport(
        tests + [.init(.testPush, .fail, reason), .init(.setPushPayloadToSDK, .fail, reason)]
      )
    }
    do {
      let push = try await devices.call(identity) { try await $0.testPush($1) }
      tests.append(.init(.testPush, .pass))
      tests.append(await arrival(of: push, channel, identity))
    } catch let error as PlatformError {
      tests.append(.init(.testPush, .fail, error.rpcError.message))
      tests.append(.init(.setPushPayloadToSDK, .fail, "no test push was sent"))
    }
    return PushTestReport(tests)
  }

  /// Returns the results of the local checks, without a request to the platform.
  public func standing(of owner: uid_t) throws -> [PushTestReport.Test] {
    let identity = try testedIdentity(of: owner, DeviceTestPush())
    return way(try channels.channel(of: owner), identity)
  }

  /// Checks the path of a push from the platform to this daemon.
  private func way(_ channel: PushChannel, _ identity: Identity) -> [PushTestReport.Test] {
    [tokenType(channel, identity), allowance(channel), token(channel), polling(channel, identity)]
  }

  private func testedIdentity(of owner: uid_t, _ request: DeviceTestPush) throws -> Identity {
    let trusted = try devices.trusted(of: owner)
    let chosen = trusted.filter { request.geography == nil || $0.geography == request.geography }
    guard !chosen.isEmpty else {
      throw try trusted.isEmpty && devices.geography(of: owner) != nil ? RPCError.notPaired : .notConfigured
    }
    guard let paired = try chosen.first(where: { try pushes.paired.isPaired($0) }) else {
      throw RPCError.notPaired
    }
    return paired
  }

  private func tokenType(_ channel: PushChannel, _ identity: Identity) -> PushTestReport.Test {
    guard devices.current(identity)?.isPushRegistered == true else {
      return .init(
        .tokenType,
        .warning,
        "the platform was not reachable yet; it gets the push channel as soon as it responds"
      )
    }
    switch channel.environment {
    case .sandbox?: return .init(.tokenType, .warning, "APNS, the sandbox of Apple's service")
    case .production?, nil: return .init(.tokenType, .pass, channel.provider.rawValue)
    }
  }

  private func allowance(_ channel: PushChannel) -> PushTestReport.Test {
    channel.isAllowed ? .init(.allowNotification, .pass) : .init(.allowNotification, .fail, "not allowed")
  }

  private func token(_ channel: PushChannel) -> PushTestReport.Test {
    if channel.provider == .poll { return .init(.token, .pass, "not needed for polling") }
    return channel.hasToken ? .init(.token, .pass) : .init(.token, .fail, "there is no token")
  }

  private func audience(_ isThere: Bool) -> PushTestReport.Test {
    isThere
      ? .init(.notificationsSetting, .pass)
      : .init(.notificationsSetting, .warning, "no program listens; pushes wait until you list them")
  }

  private func polling(_ channel: PushChannel, _ identity: Identity) -> PushTestReport.Test {
    if channel.provider != .poll {
      return .init(.backgroundSetting, .pass, "another program submits pushes from the provider")
    }
    return poller.isPolling(identity)
      ? .init(.backgroundSetting, .pass) : .init(.backgroundSetting, .fail, "it does not poll")
  }

  private func connectivity(_ identity: Identity) async -> PushTestReport.Test {
    do {
      _ = try await reports.refresh(identity)
      return .init(.connectivity, .pass)
    } catch { return .init(.connectivity, .fail, RPCError(naming: error).message) }
  }

  private func arrival(of push: String, _ channel: PushChannel, _ identity: Identity) async
    -> PushTestReport.Test
  {
    if await hasArrived(push, identity) { return .init(.setPushPayloadToSDK, .pass) }
    let reason =
      channel.provider == .poll
      ? "it did not arrive" : "no program submitted it with notification.process"
    return .init(.setPushPayloadToSDK, .fail, reason)
  }

  /// Returns true if a push from the platform arrives within `patience`, over any transport.
  private func hasArrived(_ push: String, _ identity: Identity) async -> Bool {
    let isThere: @EventLoop () -> Bool = { [pushes] in
      (try? pushes.request(push, of: identity)) ?? nil != nil
    }
    if isThere() { return true }
    let wait = Wait()
    let subscription = events.subscribe(owner: identity.owner, topics: [.notification]) { _, _ in
      if isThere() { wait.end() }
    }
    devices.core.after(Self.patience) { wait.end() }
    await wait.value()
    events.cancel(subscription)
    return isThere()
  }
}

/// Waits until one of several events occurs.
@EventLoop
private final class Wait {
  private var continuation: CheckedContinuation<Void, Never>?
  private var isOver = false

  func end() {
    isOver = true
    continuation?.resume()
    continuation = nil
  }

  func value() async {
    guard !isOver else { return }
    await withCheckedContinuation { continuation = $0 }
  }
}
