internal import Configuration
internal import ControlAPI
internal import EventLoop
package import Glibc
internal import JSONRPC
internal import Journal
internal import Time

extension Authenticator {
  /// Sends what the journal holds for an owner and returns what the support finds it by.
  package func sendLogs(of owner: uid_t) async throws -> String {
    let identities = try requireTrustedIdentities(of: owner)
    var failure: PlatformError?
    // One platform is enough, and the one of the configured geography is asked first.
    for identity in identities {
      do { return try await sendLogs(to: identity) } catch let error as PlatformError {
        failure = failure ?? error
      }
    }
    throw failure ?? .unreachable
  }

  /// Does what the administrator of a platform asked for, unless this machine's does not want it.
  func answerLogRequest(_ identity: Identity) {
    guard configuration.allowsLogRequests, logRequests.insert(identity.id).inserted else { return }
    EventLoop.task { [self] in
      defer { logRequests.remove(identity.id) }
      do {
        try await auditing(.answerLogRequest, of: identity.deviceID ?? identity.id, owner: identity.owner) {
          _ = try await sendLogs(to: identity)
        }
      } catch {
        Journal.warning("the logs that were asked for could not be sent", ["uid": identity.owner])
      }
    }
  }

  private func sendLogs(to identity: Identity) async throws -> String {
    let report = try logReport(of: identity.owner)
    let support = try await ask(identity) { try await $0.sendLogs(identity, report) }
    Journal.info("logs were sent", ["geo": identity.geography, "uid": identity.owner])
    return support
  }

  private func logReport(of owner: uid_t) throws -> LogReport {
    let now = time.now()
    let channel = try store.pushChannel(of: owner)
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
          "accounts": try store.activeCount(of: owner), "pending": try store.pendingCount(of: owner),
          "provider": channel.provider, "allowed": Self.word(channel.isAllowed),
        ]
      ),
    ]
    for identity in try trustedIdentities(of: owner) {
      head.append(
        JournalEntry(
          at: now,
          .info,
          "geography",
          [
            "geo": identity.geography, "polling": Self.word(pollers[identity.id] != nil),
            "told": Self.word(identity.isPushRegistered),
            "reachable": identity.platform.isReachable.map(Self.word) ?? "unknown",
            "clock_offset": identity.platform.clockOffset ?? 0,
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
