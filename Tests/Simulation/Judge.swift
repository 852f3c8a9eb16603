internal import EventLoop
internal import Glibc
internal import JSON
internal import Time

/// Records each owner's decisions and all responses, and reports contradictions.
@EventLoop
final class Judge {
  /// An object of a decision: a push or a code.
  struct Matter {
    let owner: uid_t
    let kind: String
    /// The daemon's ID.
    var id: String?
    /// True if the platform keeps it for the device until it expires.
    var isSent = false
    var timeout = 0
    var expiresAt: Timestamp?
    /// End of its validity, by the clock that cannot be set.
    var deadline: Duration?
    /// Possible later end, if a start computed the end with a wrong clock.
    var latestDeadline: Duration?
    /// True if it cannot end earlier.
    ///
    /// Unknown for an object that arrived unobserved.
    var isDeadlineExact = false
    /// All decisions of the owner.
    var wishes: [Wish] = []
    /// The decision that the platform received.
    var heard: Wish?
    /// Uptime at which a decision was first seen in transit.
    var sendingSince: Duration?
    /// True if the platform ever refused a decision on it, so that another one is possible.
    var wasTakenBack = false
    var end: String?
    /// True if its account, device or owner was removed.
    var isUprooted = false
  }

  var matters: [String: Matter] = [:]
  /// Returns the platform's state of an object, which is the truth.
  var standing: @EventLoop (String) -> String? = { _ in nil }
  /// Returns the end of a push by the platform's clock, as uptime of the machine.
  var expiry: @EventLoop (String) -> Duration? = { _ in nil }
  let world: World
  let secrets: Secrets
  /// Uptime of the erasure of each erased device.
  var erased: [String: Duration] = [:]
  /// Owners with an erasure that could not be stored completely, until they pair again.
  ///
  /// They may have lost everything.
  var uncertain: Set<uid_t> = []
  /// The last used counter of each HOTP secret.
  var counters: [[UInt8]: Int] = [:]
  /// Returns the decision that the platform accepted from the device.
  var accepted: @EventLoop (String) -> Wish? = { _ in nil }

  init(_ world: World, _ secrets: Secrets) { (self.world, self.secrets) = (world, secrets) }

  // MARK: Wishes of owners

  /// Records that the platform created a push or a code.
  func expect(_ thing: String, of owner: uid_t, _ kind: String) {
    matters[thing] = Matter(owner: owner, kind: kind, isUprooted: uncertain.contains(owner))
  }

  func wants(_ wish: Wish, of thing: String) {
    matters[thing]?.wishes.append(wish)
  }

  /// Records that an owner's account, device or data is removed, so that its objects may end early.
  func uproots(_ owner: uid_t) {
    for (thing, matter) in matters where matter.owner == owner { matters[thing]?.isUprooted = true }
  }

  /// Recomputes deadlines after a restart, when the daemon uses the civil clock.
  func restarts() {
    for (thing, matter) in matters {
      guard let expiresAt = matter.expiresAt else { continue }
      let left = max(0, min(expiresAt.seconds(since: world.clock.now), matter.timeout))
      let deadline = world.clock.uptime + .seconds(left)
      // A decision in transit, or an expiry that could not be stored, may take effect until this deadline.
      // The daemon decides about a silent push without a wish of the owner.
      if matter.end == nil, !matter.wishes.isEmpty || matter.kind == "silent" || world.wasDiskBad {
        matters[thing]?.latestDeadline = deadline
      }
      // An object that expired by a wrong clock stays expired.
      guard matter.deadline.map({ $0 > world.clock.uptime }) ?? true else { continue }
      matters[thing]?.deadline = deadline
      matters[thing]?.isDeadlineExact = true
    }
  }

  /// Deadlines of all objects that have not ended.
  var dues: [Duration] {
    matters.values.filter { $0.end == nil }.compactMap(\.deadline).filter { $0 > world.clock.uptime }.sorted()
  }

  // MARK: Requests to the platform

  func hears(_ wish: Wish, about thing: String, of owner: uid_t, sentAt: Duration) {
    guard let matter = matters[thing] else { return world.violate("\(thing) is decided, which is nowhere") }
    let isWanted = matter.kind == "silent" ? wish.isApproval : matter.wishes.contains(wish)
    if !isWanted { world.violate("\(thing): the platform hears \(wish), which nobody said") }
    // A restart may find the object expired. A decision sent at the same moment was sent before the restart.
    let latest = matter.deadline.map { max($0, matter.latestDeadline ?? .zero) }
    if let latest, sentAt > latest {
      world.violate("\(thing): \(wish) is sent \(sentAt - latest) after its time")
    }
    if let before = matter.heard, before != wish, !matter.wasTakenBack {
      world.violate("\(thing): the platform hears \(wish) after \(before)")
    }
    matters[thing]?.heard = wish
  }

  func takesBack(_ thing: String) { matters[thing]?.wasTakenBack = true }

  /// Records a request of a device.
  func hearsFrom(_ device: String, sentAt: Duration) {
    if let end = erased[device], sentAt > end { world.violate("\(device) speaks after it was erased") }
  }

  // MARK: Data shown to owners

  /// Checks a line that a client received.
  func looks(at line: [UInt8], of owner: uid_t) {
    secrets.look(at: line, "what \(owner) gets", world)
    let others = Marker.owners(in: String(decoding: line, as: UTF8.self)).subtracting([owner])
    if !others.isEmpty { world.violate("\(owner) sees what is \(others)'s") }
  }

  /// Checks a push in a reply or an event.
  func sees(_ object: JSON, of owner: uid_t, announced: Bool = false) {
    guard let thing = object["title"]?.string.flatMap({ Marker.thing(in: $0) }), var matter = matters[thing],
      let id = object["id"]?.string, let state = object["state"]?.string
    else { return world.violate("\(owner) sees what is nowhere: \(object.brief)") }
    defer { matters[thing] = matter }
    if matter.id != id {
      if matter.id != nil, !matter.isUprooted { world.violate("\(thing) is there twice") }
      (matter.id, matter.end) = (id, nil)
      matter.timeout = object["timeoutDuration"]?.int ?? 0
      matter.expiresAt = object["expiresAt"]?.string.flatMap { Timestamp(text: $0) }
      matter.deadline = world.clock.uptime + .seconds(matter.timeout)
      // After a decision, a push may return to pending long after its arrival.
      matter.isDeadlineExact = announced && state == "pending" && matter.wishes.isEmpty
    }
    if let end = matter.end, end != state, !matter.isUprooted {
      world.violate("\(thing) was \(end) and is \(state)")
    }
    let truth = standing(thing)
    switch state {
    case "approved", "denied":
      matter.end = state
      if truth != state { world.violate("\(thing) is \(state) here and \(truth ?? "nowhere") there") }
    case "cancelled":
      matter.end = state
      if truth != state, !matter.isUprooted { world.violate("\(thing) is cancelled here and not there") }
    case "expired" where announced:
      matter.end = state
      let isOver = !matter.isDeadlineExact || matter.deadline.map { world.clock.uptime >= $0 } ?? true
      if !isOver, truth != "expired", matter.kind != "silent", !isCrowded(owner) {
        world.violate("\(thing) ends before its time")
      }
    case "sending": matter.sendingSince = matter.sendingSince ?? world.clock.uptime
    case "pending": matter.sendingSince = nil
    default: break
    }
  }

  /// True if the owner had so many pushes that the oldest may have been dropped.
  func isCrowded(_ owner: uid_t) -> Bool {
    matters.values.count { $0.owner == owner && $0.kind == "authentication" } > 20
  }

  /// Records a code that its owner has just claimed, and the lifetime that the platform stated.
  func sees(_ code: JSON, _ request: String, lifetime: Int) {
    guard let expiresAt = code["expiresAt"]?.string.flatMap({ Timestamp(text: $0) }) else {
      return world.violate("\(request) has no end")
    }
    matters[request]?.expiresAt = expiresAt
    matters[request]?.timeout = lifetime
    matters[request]?.deadline = world.clock.uptime + .seconds(lifetime)
  }

  /// Checks the reply to a decision.
  func tells(_ outcome: Client.Outcome, of wish: Wish, about thing: String, by owner: uid_t) {
    guard let matter = matters[thing] else { return }
    switch outcome {
    case .result(let result):
      guard matter.owner == owner else {
        if !(result["notification"]?.isNull ?? false) { world.violate("\(owner) decides on \(thing)") }
        return
      }
      guard let object = result["notification"], !object.isNull else { return }
      sees(object, of: owner)
      if matter.kind == "authentication", object["state"]?.string != wish.outcome {
        world.violate(
          "\(thing): \(wish) was asked, and the answer is \(object["state"]?.string ?? "nothing")"
        )
      }
    case .error(_, let details):
      guard matter.owner == owner, let state = details["state"]?.string,
        ["approved", "denied"].contains(state)
      else { return }
      if standing(thing) != state { world.violate("\(thing) is said to be \(state), which it is not") }
    case .gone: break
    }
  }
}
