internal import EventLoop
internal import JSON
internal import Journal
internal import Time
internal import Vault

extension Poller {
  private static let provedAtOnce = 8

  /// Polls for all members in one request; returns whether it brought pushes.
  func fetchTogether(_ members: [OwnedKey]) async throws -> Bool {
    let able = members.filter { ailing[$0].map { $0.until <= devices.time.uptime() } ?? true }
    let speaker = try able.lazy.compactMap { try self.devices.identity($0.id) }.first(where: \.isTrusted)
    guard let speaker else { return false }
    var asked: [String: OwnedKey] = [:]
    let parts: JSONObject
    do {
      parts = try await devices.call(speaker) { service, credentials in
        // Each try has an id of its own, by which all take part.
        let id = try DeviceProof.freshID()
        let polls: [Poll]
        (asked, polls) = try await self.polls(of: able, in: id)
        return try await service.poll(polls, provenBy: id, credentials, wait: Self.pollSeconds)
      }
    } catch PlatformError.deviceUnknown {
      // It is forgotten; the next poll is another's.
      return false
    }
    var hasNews = false
    for part in parts.members {
      guard let member = asked[part.name] else { continue }
      hasNews = try await take(part.value, for: member, part.name) || hasNews
    }
    return hasNews
  }

  private func polls(of members: [OwnedKey], in id: String) async throws -> ([String: OwnedKey], [Poll]) {
    var asked: [String: OwnedKey] = [:]
    var polls: [Poll] = []
    for first in stride(from: 0, to: members.count, by: Self.provedAtOnce) {
      try Task.checkCancellation()
      try await proving.run {
        for member in members[first...].prefix(Self.provedAtOnce) {
          // An owner whose keys do not open holds up nobody else.
          guard let identity = try devices.identity(member.id), identity.isTrusted,
            let poll = try? Poll(of: identity, provenBy: devices.deviceKey(of: identity), in: id)
          else { continue }
          asked[poll.device] = member
          polls.append(poll)
        }
      }
    }
    return (asked, polls)
  }

  /// What is told to one member; its trouble is its own, and it is left out for a while.
  private func take(_ part: JSON, for member: OwnedKey, _ device: String) async throws -> Bool {
    guard let identity = try devices.identity(member.id), identity.deviceID == device else { return false }
    do {
      let hasNews: Bool
      do {
        hasNews = try take(devices.service.open(part, with: devices.credentials(of: identity)), for: identity)
      } catch PlatformError.deviceUnknown {
        // Asked by itself it says whether it has other keys by now, or is not known any more.
        hasNews = try await fetch(member, wait: 0)
      }
      ailing[member] = nil
      return hasNews
    } catch {
      if Task.isCancelled { throw error }
      Journal.warning("what a poll brought for one of several could not be taken", ["uid": member.owner])
      var backOff = ailing[member]?.backOff ?? BackOff(from: .seconds(1), to: .seconds(300))
      ailing[member] = (backOff, devices.time.uptime() + backOff.next())
      ailing[member]?.backOff = backOff
      return false
    }
  }
}
