internal import EventLoop
internal import JSON
internal import Journal
internal import Vault

extension Poller {
  /// Polls for all members in one request; returns whether it brought pushes, `nil` if the platform has no such poll.
  func fetchTogether(_ members: [OwnedKey]) async throws -> Bool? {
    let id = try DeviceProof.freshID()
    var asked: [String: OwnedKey] = [:]
    var polls: [Poll] = []
    for (count, member) in members.enumerated() {
      // An owner whose keys do not open holds up nobody else.
      guard let identity = try devices.identity(member.id), identity.isTrusted,
        let poll = try? Poll(of: devices.credentials(of: identity), in: id)
      else { continue }
      asked[poll.device] = member
      polls.append(poll)
      // Whoever asks meanwhile does not wait for all these signatures.
      if count % 16 == 15 { try await EventLoop.sleep(for: .zero) }
    }
    let speaker = try polls.lazy.compactMap { asked[$0.device] }.compactMap { try devices.identity($0.id) }
      .first
    guard let speaker else { return false }
    let parts: JSONObject?
    do {
      parts = try await devices.call(speaker) {
        try await $0.poll(polls, provenBy: id, $1, wait: Self.pollSeconds)
      }
    } catch PlatformError.deviceUnknown {
      // It is forgotten; the next poll is another's.
      return true
    }
    guard let parts else { return nil }
    var hasNews = false
    for part in parts.members {
      guard let member = asked[part.name] else { continue }
      hasNews = try await take(part.value, for: member, part.name) || hasNews
    }
    return hasNews
  }

  /// What is told to one member; its trouble is its own.
  private func take(_ part: JSON, for member: OwnedKey, _ device: String) async throws -> Bool {
    guard let identity = try devices.identity(member.id), identity.deviceID == device else { return false }
    do {
      return try take(devices.service.open(part, with: devices.credentials(of: identity)), for: identity)
    } catch PlatformError.deviceUnknown {
      // Asked by itself it says whether it has other keys by now, or is not known any more.
      return (try? await fetch(member, wait: 0)) ?? false
    } catch is PlatformError {
      Journal.warning("a poll for several brought nothing readable for one", ["uid": member.owner])
      return false
    }
  }
}
