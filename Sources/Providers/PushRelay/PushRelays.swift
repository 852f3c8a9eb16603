internal import ControlAPI
public import CourierLink
internal import CourierProtocol
public import EventLoop
public import Glibc
public import JSON
internal import JSONRPC
internal import Journal
public import PingOne
public import Time
public import Vault

/// Pushes from ntfy or UnifiedPush servers, with one subscription for each owner that has chosen a relay.
@EventLoop
public final class PushRelays {
  private let core: Core
  private let courier: CourierClient
  private let routes: RelayRoutes
  /// Processes a push from a relay like a push that a client submitted.
  private let deliver: @EventLoop (JSON, uid_t) throws -> Void
  private var tasks: [uid_t: Task<Void, Never>] = [:]

  private static let shortestPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(300)
  /// A connection of at least this duration resets the back-off.
  private static let goodConnection = Duration.seconds(60)
  /// Maximum number of lines per minute, more than a push sender needs.
  private static let mostLines = 600

  public init(
    _ core: Core,
    courier: CourierClient,
    channels: PushChannels,
    deliver: @escaping @EventLoop (JSON, uid_t) throws -> Void
  ) {
    (self.core, self.courier, self.deliver) = (core, courier, deliver)
    routes = RelayRoutes(core, channels: channels)
    channels.whenChanged { [weak self] in try self?.follow($0) }
    core.register(self)
  }

  /// Subscribes for all owners that have chosen a relay.
  ///
  /// Ends subscriptions at relays that are no longer configured.
  public func resume() throws {
    for owner in Set(tasks.keys).union(try routes.owners()) { try follow(owner) }
  }

  /// Ends the subscriptions of all owners.
  public func stopAll() {
    for owner in Array(tasks.keys) { stop(owner) }
  }

  private func stop(_ owner: uid_t) { tasks.removeValue(forKey: owner)?.cancel() }

  /// Replaces the subscription of an owner according to the owner's current channel.
  private func follow(_ owner: uid_t) throws {
    stop(owner)
    guard let route = try routes.route(of: owner) else { return }
    tasks[owner] = Vault.leavingCall {
      EventLoop.task { [weak self] in await self?.hold(route, for: owner) }
    }
  }

  private func hold(_ route: RelayRoute, for owner: uid_t) async {
    var backOff = BackOff(from: Self.shortestPause, to: Self.longestPause)
    var memory = RelayMemory(now: core.time.now())
    while !Task.isCancelled {
      let start = core.time.uptime()
      let hasBrought = await take(route, for: owner, &memory)
      if hasBrought || core.time.uptime() - start >= Self.goodConnection { backOff.reset() }
      guard (try? await EventLoop.sleep(for: backOff.next() + EventLoop.jitter)) != nil else { return }
    }
  }

  /// Keeps one connection open and processes its lines; returns true if it delivered a new message.
  private func take(_ route: RelayRoute, for owner: uid_t, _ memory: inout RelayMemory) async -> Bool {
    let since = memory.since(core.time.now())
    memory.hasOverflowed = false
    guard let stream = RelayAddress.stream(of: route.address, since: since) else { return false }
    var (hasBrought, lines, minute) = (false, 0, core.time.uptime())
    do {
      let subscription = try await courier.subscribe(to: stream)
      while case .line(let line) = try await subscription.next(), !Task.isCancelled {
        if core.time.uptime() - minute >= .seconds(60) { (lines, minute) = (0, core.time.uptime()) }
        lines += 1
        guard lines <= Self.mostLines else {
          Journal.warning("a relay sends too many lines; reconnecting later", ["uid": owner])
          memory.hasOverflowed = true
          return false
        }
        guard let message = RelayMessage(line), let content = message.content,
          memory.isNew(message, now: core.time.now())
        else { continue }
        hasBrought = true
        hand(content, by: route, to: owner)
      }
    } catch {
      memory.hasOverflowed = [.tooLarge, .busy].contains(error)
      Journal.debug("a relay subscription failed", ["failure": "\(error)", "uid": owner])
    }
    return hasBrought
  }

  private func hand(_ content: [UInt8], by route: RelayRoute, to owner: uid_t) {
    // The content is untrusted: any process that knows the address can publish there.
    do {
      let content = route.isEncrypted ? try routes.open(content, for: owner) : content
      guard let text = String(validating: content, as: UTF8.self) else {
        return Journal.warning("a push from a relay is not UTF-8 text", ["uid": owner])
      }
      try deliver(.string(text), owner)
    } catch let fault as WebPushFault {
      Journal.warning("a push from a relay is not encrypted for its owner", ["reason": fault, "uid": owner])
    } catch {
      Journal.warning(
        "a push from a relay was rejected",
        ["reason": "\(RPCError(naming: error).reason)", "uid": owner]
      )
    }
  }
}

extension PushRelays: OwnedComponent {
  public nonisolated static let schema: StaticString = """
    CREATE TABLE web_push (
      owner INTEGER PRIMARY KEY REFERENCES owner (uid) ON DELETE CASCADE,
      data_key BLOB NOT NULL,
      private_key BLOB NOT NULL,
      auth_secret BLOB NOT NULL
    ) STRICT;
    """

  public nonisolated static var restoration: RestorationRules { .none }

  public func usage(of owner: uid_t) -> Quota.Usage { .none }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  public func guardSecrets(of owner: uid_t) {}

  public func forget(_ owner: uid_t) { stop(owner) }
}
