internal import Accounts
public import Approvals
internal import Configuration
internal import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
public import Journal
internal import Settings
internal import Time
public import Vault

/// Sends an owner's journal entries to the organization's support.
@EventLoop
public final class SupportLogs {
  private let core: Core
  private let devices: Devices
  private let channels: PushChannels
  private let poller: Poller
  private let approvals: Approvals
  private let version: StaticString
  private var requests: Set<String> = []

  public init(
    _ core: Core,
    devices: Devices,
    channels: PushChannels,
    poller: Poller,
    approvals: Approvals,
    reports: DeviceReports,
    version: StaticString
  ) {
    (self.core, self.devices, self.channels, self.poller) = (core, devices, channels, poller)
    (self.approvals, self.version) = (approvals, version)
    reports.whenLogsAreRequested { [weak self] in self?.answerRequest($0) }
  }

  /// Sends an owner's journal entries and returns the support ID.
  public func send(of owner: uid_t) async throws -> String {
    let identities = try devices.requireTrusted(of: owner)
    var failure: (any Error)?
    // One platform is enough. Try the platform of the configured geography first.
    for identity in identities {
      do { return try await send(to: identity) } catch let error as PlatformError {
        failure = failure ?? error
      }
    }
    throw try failure ?? devices.errorWithoutIdentity(of: owner)
  }

  /// Sends logs that a platform's administrator requested, unless the configuration of this machine forbids
  /// it.
  private func answerRequest(_ identity: Identity) {
    guard core.settings.current.allowsLogRequests, requests.insert(identity.id).inserted else { return }
    EventLoop.task { [self] in
      defer { requests.remove(identity.id) }
      do {
        try await core.audit.following(
          AutomaticAction("answerLogRequest"),
          of: identity.deviceID ?? identity.id,
          owner: identity.owner
        ) {
          _ = try await send(to: identity)
        }
      } catch {
        Journal.warning("the requested logs could not be sent", ["uid": identity.owner])
      }
    }
  }

  private func send(to identity: Identity) async throws -> String {
    let report = try logReport(of: identity.owner)
    let support = try await devices.call(identity) { try await $0.sendLogs($1, report) }
    Journal.info("logs were sent", ["geo": identity.geography, "uid": identity.owner])
    return support
  }

  private func logReport(of owner: uid_t) throws -> LogReport {
    let now = core.time.now()
    let configuration = core.settings.current
    let channel = try channels.channel(of: owner)
    var head = [
      JournalEntry(
        at: now,
        .info,
        "version",
        [
          "mfad": version, "major": InterfaceVersion.current.major,
          "minor": InterfaceVersion.current.minor,
        ]
      ),
      JournalEntry(
        at: now,
        .info,
        "settings",
        [
          "require_number": Self.word(configuration.requiresNumber),
          "require_approval": Self.word(configuration.requiresApproval),
          "keep_session": Self.word(configuration.keepsSession),
          "platform_keys": configuration.platformKeys.count, "issuers": configuration.issuers.count,
          "retention_days": configuration.retentionDays, "log_level": configuration.logLevel.rawValue,
        ]
      ),
      JournalEntry(
        at: now,
        .info,
        "state",
        [
          "accounts": try approvals.accounts.activeCount(of: owner),
          "pending": try approvals.pendingCount(of: owner),
          "provider": channel.provider, "allowed": Self.word(channel.isAllowed),
        ]
      ),
    ]
    for identity in try devices.trusted(of: owner) {
      let platform = devices.platform(identity.url)
      head.append(
        JournalEntry(
          at: now,
          .info,
          "geography",
          [
            "geo": identity.geography, "polling": Self.word(poller.isPolling(identity)),
            "told": Self.word(identity.isPushRegistered),
            "reachable": platform.isReachable.map(Self.word) ?? "unknown",
            "clock_offset": platform.clockOffset ?? 0,
          ]
        )
      )
    }
    return LogReport(head: head, Journal.recent(of: owner))
  }

  private static func word(_ flag: Bool) -> StaticString { flag ? "yes" : "no" }
}

extension Geography: JournalWord {
}

extension PushProvider: JournalWord {
}

/// The text for an organization's support: only lines that the program itself wrote.
///
/// It consists of journal entries, which cannot contain text from outside the program.
public struct LogReport: Sendable {
  public let text: String

  private static let longest = 32 * 1024

  /// Creates a report from `head` and as many of the newest entries as fit into the maximum length.
  init(head: [JournalEntry], _ entries: [JournalEntry]) {
    let begin = head.map(\.text)
    var room = Self.longest - begin.reduce(0) { $0 + $1.utf8.count + 1 }
    var lines: [String] = []
    for entry in entries.reversed() {
      let line = entry.text
      room -= line.utf8.count + 1
      guard room >= 0 else { break }
      lines.append(line)
    }
    text = (begin + lines.reversed()).joined(separator: "\n") + "\n"
  }
}
