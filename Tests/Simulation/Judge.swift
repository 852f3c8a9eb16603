internal import EventLoop
internal import Glibc
internal import JSON
internal import Time

/// Knows what each owner wanted and what everybody was told, and says when it does not fit.
@EventLoop
final class Judge {
  /// What can be decided on: a push or a code.
  struct Matter {
    let owner: uid_t
    let kind: String
    /// What the daemon calls it.
    var id: String?
    /// Whether the platform has it for the device, as long as it takes.
    var isSent = false
    var timeout = 0
    var expiresAt: Timestamp?
    /// When it is over, by the clock that nobody can set.
    var deadline: Duration?
    /// Until when it may last all the same, where a start reckoned by a clock that was wrong.
    var latestDeadline: Duration?
    /// Whether it cannot be over sooner: not known of what came while nobody looked.
    var isDeadlineExact = false
    /// What its owner wanted at any time.
    var wishes: [Wish] = []
    /// What the platform heard.
    var heard: Wish?
    /// When a decision on it was seen to be on its way.
    var sendingSince: Duration?
    /// Whether the platform ever refused a decision on it, so that another could be made.
    var wasTakenBack = false
    var end: String?
    /// Whether its account, its device or its owner went away.
    var isUprooted = false
  }

  var matters: [String: Matter] = [:]
  /// What the platform knows, which is how things are.
  var standing: @EventLoop (String) -> String? = { _ in nil }
  /// When a push is over by the platform's clock, as the machine's uptime.
  var expiry: @EventLoop (String) -> Duration? = { _ in nil }
  let world: World
  let secrets: Secrets
  /// The devices that were erased, and when.
  var erased: [String: Duration] = [:]
  /// Who may have nothing any more, since their erasure could not be stored to its end: until they pair again.
  var uncertain: Set<uid_t> = []
  /// What was given last, for each secret that counts.
  var counters: [[UInt8]: Int] = [:]
  /// What the platform took of a device.
  var accepted: @EventLoop (String) -> Wish? = { _ in nil }

  init(_ world: World, _ secrets: Secrets) { (self.world, self.secrets) = (world, secrets) }

  // MARK: What is wanted

  /// The platform has made a push or a code.
  func expect(_ thing: String, of owner: uid_t, _ kind: String) {
    matters[thing] = Matter(owner: owner, kind: kind, isUprooted: uncertain.contains(owner))
  }

  func wants(_ wish: Wish, of thing: String) {
    matters[thing]?.wishes.append(wish)
  }

  /// What an owner's things hang on goes away: what was promised of them is no more.
  func uproots(_ owner: uid_t) {
    for (thing, matter) in matters where matter.owner == owner { matters[thing]?.isUprooted = true }
  }

  /// The machine has started again, and reckons by its civil clock how long everything still lasts.
  func restarts() {
    for (thing, matter) in matters {
      guard let expiresAt = matter.expiresAt else { continue }
      let left = max(0, min(expiresAt.seconds(since: world.clock.now), matter.timeout))
      let deadline = world.clock.uptime + .seconds(left)
      // A decision that was on its way goes on as long as the clock says, as does what could not be stored as over. A
      // silent push is decided without a wish.
      if matter.end == nil, !matter.wishes.isEmpty || matter.kind == "silent" || world.wasDiskBad {
        matters[thing]?.latestDeadline = deadline
      }
      // What was over by a clock that was wrong stays over.
      guard matter.deadline.map({ $0 > world.clock.uptime }) ?? true else { continue }
      matters[thing]?.deadline = deadline
      matters[thing]?.isDeadlineExact = true
    }
  }

  /// When what has not ended is over.
  var dues: [Duration] {
    matters.values.filter { $0.end == nil }.compactMap(\.deadline).filter { $0 > world.clock.uptime }.sorted()
  }

  // MARK: What the platform hears

  func hears(_ wish: Wish, about thing: String, of owner: uid_t, sentAt: Duration) {
    guard let matter = matters[thing] else { return world.violate("\(thing) is decided, which is nowhere") }
    let isWanted = matter.kind == "silent" ? wish.isApproval : matter.wishes.contains(wish)
    if !isWanted { world.violate("\(thing): the platform hears \(wish), which nobody said") }
    // What left at the very moment of a restart, which may find it over, was sent before.
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

  /// A device speaks.
  func hearsFrom(_ device: String, sentAt: Duration) {
    if let end = erased[device], sentAt > end { world.violate("\(device) speaks after it was erased") }
  }

  // MARK: What owners see

  /// A line that a client got.
  func looks(at line: [UInt8], of owner: uid_t) {
    secrets.look(at: line, "what \(owner) gets", world)
    let others = Marker.owners(in: String(decoding: line, as: UTF8.self)).subtracting([owner])
    if !others.isEmpty { world.violate("\(owner) sees what is \(others)'s") }
  }

  /// A push as it is shown.
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
      // What was decided on before may be shown again as pending, long after it came.
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

  /// Whether an owner was asked so often that the oldest pushes may have gone.
  func isCrowded(_ owner: uid_t) -> Bool {
    matters.values.count { $0.owner == owner && $0.kind == "authentication" } > 20
  }

  /// A code that its owner has just claimed, and how long the platform said that it lasts.
  func sees(_ code: JSON, _ request: String, lifetime: Int) {
    guard let expiresAt = code["expiresAt"]?.string.flatMap({ Timestamp(text: $0) }) else {
      return world.violate("\(request) has no end")
    }
    matters[request]?.expiresAt = expiresAt
    matters[request]?.timeout = lifetime
    matters[request]?.deadline = world.clock.uptime + .seconds(lifetime)
  }

  /// What an owner was told who decided.
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
