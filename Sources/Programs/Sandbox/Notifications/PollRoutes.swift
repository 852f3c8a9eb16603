import EventLoop
import HTTPServer
import JOSE
import JSON

/// `POST /polls`: one long poll for several devices; each device proves with its key that it takes part.
@EventLoop
enum PollRoutes {
  static let routes: [Route<DeviceEndpoint>] = [.device("POST", "/polls", poll)]

  private static let maximumCount = 500
  /// Maximum size of all parts, so that they still fit into a response after encryption and signing.
  ///
  /// A device with a part that does not fit gets it with the next poll.
  private static let maximumBytes = 350 * 1024
  /// Maximum size of the tokens of one part, so that any part fits.
  private static let maximumPartBytes = 200 * 1024

  private struct Member {
    let id: String
    /// `nil` if the proof is not from a known device.
    let device: TrustedDevice?
    let cursor: String?
    let key: JWK?
  }

  private static func poll(_ call: ProvenCall) async throws(ErrorResponse) -> SealedResponse {
    let polls = call.body.object["polls"]?.array ?? []
    guard (1...maximumCount).contains(polls.count) else { throw .invalid("polls", "must be 1 to 500 polls") }
    guard let wait = call.body.object["wait"]?.int, wait >= 0 else {
      throw .invalid("wait", "must be a number of seconds")
    }
    let members = polls.map { member($0, call) }
    // Listen before checking for pushes. Otherwise a push that arrives in between is missed.
    let listener = call.tenant.bells.listen(for: members.compactMap { $0.device?.id })
    var parts = try parts(for: members, call.tenant)
    if parts.isEmpty, wait > 0 {
      await listener.wait(atMost: .seconds(min(wait, 30)))
      parts = try Self.parts(for: members, call.tenant)
    }
    call.tenant.bells.dismiss(listener)
    return SealedResponse(200, .object(["devices": .object(JSONObject(parts))]))
  }

  private static func member(_ poll: JSON, _ call: ProvenCall) -> Member {
    let id = poll["deviceId"]?.string ?? ""
    let device = call.tenant.trustedDevices[ID(id)]
    let proof = poll["proof"]?.string.flatMap { try? CompactJWS(parsing: $0) }
    guard let device, let proof, proof.header.type == "poll-proof+jwt",
      let key = proof.header.keyID.flatMap({ device.keys(named: $0)?.device }),
      let claims = try? proof.verified(with: key, allowing: [.es256]).claims(),
      claims["jti"]?.string == call.proofID, claims["sub"]?.string == id
    else { return Member(id: id, device: nil, cursor: nil, key: nil) }
    return Member(id: id, device: device, cursor: poll["cursor"]?.string, key: key)
  }

  /// Returns the parts by device: pushes, a first cursor, or a status that explains their absence.
  ///
  /// The part of a known device is encrypted for that device.
  private static func parts(for members: [Member], _ tenant: Tenant) throws(ErrorResponse) -> [(String, JSON)]
  {
    var (parts, bytes): ([(String, JSON)], Int) = ([], 0)
    for member in members {
      guard let part = part(for: member, tenant) else { continue }
      // The part of an unknown device stays unencrypted, since its key is unknown.
      let sealed: JSON =
        try member.key.map { key throws(ErrorResponse) in .string(try seal(part, for: key)) } ?? part
      bytes += sealed.text.utf8.count
      if bytes > maximumBytes, !parts.isEmpty { break }
      parts.append((member.id, sealed))
    }
    return parts
  }

  private static func part(for member: Member, _ tenant: Tenant) -> JSON? {
    guard let device = member.device else { return ["status": 401] }
    let after = member.cursor.map { tenant.notifications.sequence(of: $0) } ?? 0
    guard let after else { return ["status": 410] }
    let page = NotificationRoutes.page(for: device.id, after: after, tenant, maximumBytes: maximumPartBytes)
    return page.isEmpty && member.cursor != nil ? nil : page.json
  }

  private static func seal(_ part: JSON, for key: JWK) throws(ErrorResponse) -> String {
    do {
      return try CompactJWE.encrypt(part.serialized, to: key, type: "poll-part+jwe", keyID: nil)
    } catch { throw .unexpected }
  }
}
