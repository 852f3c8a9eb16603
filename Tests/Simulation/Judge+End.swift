internal import EventLoop
internal import Glibc
internal import JSON
internal import OATH
internal import OpenSSL
internal import Time

extension Judge {
  /// Maximum delivery time of a decision without faults: the longest wait between two attempts, plus two
  /// requests.
  ///
  /// After a change of the platform's keys, no reply is understood until the new keys are fetched, once a
  /// minute at most.
  private var longestDelivery: Duration { .seconds(world.haveKeysChanged ? 170 : 110) }

  /// Maximum delivery time of a push without faults.
  ///
  /// A poller doubles its wait each time, so it waits no longer than the faults lasted, and at most five
  /// minutes.
  private func longestArrival(_ calmSince: Duration) -> Duration {
    let longest = Duration.seconds(400)
    return world.haveKeysChanged
      ? longest : min(longest, calmSince - SimulatedClock.beginning + .seconds(120))
  }

  /// Uptime at which all pushes in transit have arrived.
  func lastArrival(_ calmSince: Duration) -> Duration {
    matters.filter { $0.value.id == nil && $0.value.isSent }.keys.compactMap(expiry)
      .map { min($0, calmSince + longestArrival(calmSince)) }.max() ?? .zero
  }

  /// Checks an owner's list after everything has completed.
  ///
  /// `calmSince`: uptime at which faults ended.
  func rests(_ owner: uid_t, showing objects: [JSON], calmSince: Duration) {
    for object in objects { sees(object, of: owner) }
    let shown = Dictionary(objects.map { ($0["id"]?.string ?? "", $0["state"]?.string ?? "") }) { one, _ in
      one
    }
    let longestArrival = longestArrival(calmSince)
    for (thing, matter) in matters.sorted(by: { $0.key < $1.key })
    where matter.owner == owner && !matter.isUprooted && matter.kind != "code" {
      guard let id = matter.id else {
        let isWaiting = matter.isSent && expiry(thing).map { $0 - calmSince > longestArrival } ?? false
        if isWaiting, !world.wasClockWrong { world.violate("\(thing) never arrives") }
        continue
      }
      guard let state = shown[id] else {
        world.violate("\(thing) is gone")
        continue
      }
      if let deadline = matter.deadline, ["pending", "sending"].contains(state),
        world.clock.uptime >= max(deadline, matter.latestDeadline ?? .zero)
      {
        world.violate("\(thing) does not end: \(state)")
      }
      if state == "expired", isLost(matter, thing, calmSince) {
        world.violate("\(thing): a decision was lost")
      }
      // A push that needs no user expires once the platform has refused the answer.
      let isSettled = state == "expired" && matter.wasTakenBack && matter.kind != "authentication"
      if ["expired", "pending"].contains(state), standing(thing) == "cancelled", !isSettled,
        let deadline = matter.deadline,
        deadline - calmSince > longestArrival, !world.wasClockWrong, !isCrowded(owner)
      {
        world.violate("\(thing) was taken back, and its owner does not know")
      }
    }
  }

  /// True if a decision was submitted or in transit, and there was time without faults to get its outcome.
  private func isLost(_ matter: Matter, _ thing: String, _ calmSince: Duration) -> Bool {
    guard matter.kind == "authentication", !matter.wasTakenBack, let deadline = matter.deadline,
      let expiry = expiry(thing), min(deadline, expiry) - calmSince > longestDelivery
    else { return false }
    if accepted(thing) != nil { return true }
    return (matter.heard != nil || matter.sendingSince != nil) && standing(thing) != "expired"
  }

  /// Checks that the last event of each push matches the list.
  func compares(_ client: Client, with objects: [JSON]) {
    guard let heard = client.heard else { return }
    for object in objects {
      guard let id = object["id"]?.string, let state = object["state"]?.string, let last = heard[id] else {
        continue
      }
      if last != state { world.violate("\(client.owner) heard \(last) of what is \(state): \(object.brief)") }
    }
  }

  /// Checks an HOTP passcode: each counter is used once, and the passcode is correct.
  func counts(_ result: JSON, secret: [UInt8]) {
    guard let counter = result["counter"]?.int else { return world.violate("a passcode without its counter") }
    if let last = counters[secret], counter <= last {
      world.violate("the passcode of \(counter) is given again")
    }
    counters[secret] = counter
    let hotp = HOTP(secret: Secret(copying: secret), algorithm: .sha1, digits: 6)
    if (try? hotp.passcode(counter: UInt64(counter))) != result["passcode"]?.string {
      world.violate("a passcode of a counter is wrong")
    }
  }

  func times(_ result: JSON, secret: [UInt8]) {
    let totp = TOTP(secret: Secret(copying: secret), algorithm: .sha1, digits: 6, period: 30)
    let right = try? totp.passcode(window: totp.window(at: world.clock.now))
    // The passcode may have been generated just before the clock was set.
    if right != result["passcode"]?.string, world.clock.setAt != world.clock.uptime {
      world.violate("a passcode is not that of the time")
    }
  }
}
