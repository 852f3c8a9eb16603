internal import EventLoop
internal import Glibc
internal import JSON

extension History {
  /// Runs an owner's action on one of the owner's connections.
  func act(_ index: Int, _ body: @escaping @EventLoop @Sendable (Client) async -> Void) {
    guard let client = world.any(of: people[index].clients.filter(\.isOpen)) else { return }
    EventLoop.task { await body(client) }
  }

  func signOn(_ index: Int) {
    let person = people[index]
    guard let device = person.device, let user = person.user, platform.state.devices[device] != nil else {
      return
    }
    for _ in 1...(world.happens(15) ? 3 : 1) {
      let lifetime = world.any(of: temper.lifetimes).map(world.number) ?? 60
      platform.ask(person.owner, device, user, lifetime: lifetime)
    }
  }

  /// An attacker with an owner's password signs on again and again.
  func flood(_ index: Int) {
    let person = people[index]
    guard let device = person.device, let user = person.user, platform.state.devices[device] != nil else {
      return
    }
    for _ in 1...world.number(15...30) {
      platform.ask(person.owner, device, user, lifetime: world.number(30...120), kind: "authentication")
    }
  }

  // MARK: Decisions

  /// The owner decides on one of the owner's pushes, or tries another owner's.
  ///
  /// Makes a push if there is none.
  func decide(_ index: Int) {
    let owner = people[index].owner
    let isOwn = !world.happens(4)
    let things = judge.matters.filter { ($0.value.owner == owner) == isOwn && $0.value.kind != "code" }.keys
      .sorted()
    // Users mostly look at the latest push.
    guard let thing = world.happens(70) ? things.max(by: Self.isEarlier) : world.any(of: things),
      let push = platform.state.pushes[thing], judge.matters[thing]?.end == nil || world.happens(30)
    else { return signOn(index) }
    let number = push.number.flatMap { world.happens(85) ? $0 : world.happens(50) ? $0 + 1 : nil }
    let wish = world.happens(60) ? Wish(isApproval: true, number: number) : Wish(isApproval: false)
    let isPressed = world.happens(20)
    guard isPressed || judge.matters[thing]?.id != nil else { return }
    for _ in 1...(world.happens(15) ? 2 : 1) {
      isPressed
        ? press(index, Wish(isApproval: wish.isApproval), on: thing, push.text)
        : decide(index, wish, on: thing, judge.matters[thing]?.id ?? "")
    }
  }

  /// The owner repeats a decision that is taking long.
  func insist(_ index: Int) {
    let owner = people[index].owner
    let things = judge.matters.filter {
      $0.value.owner == owner && $0.value.end == nil && !$0.value.wishes.isEmpty && $0.value.kind != "code"
    }
    guard let thing = world.any(of: things.keys.sorted()), let matter = things[thing], let id = matter.id,
      let wish = matter.wishes.last
    else { return decide(index) }
    decide(index, wish, on: thing, id)
  }

  private static func isEarlier(_ one: String, _ other: String) -> Bool {
    (one.utf8.count, one) < (other.utf8.count, other)
  }

  private func decide(_ index: Int, _ wish: Wish, on thing: String, _ id: String, tries: Int = 4) {
    act(index) { [self] client in
      let deadline = judge.matters[thing]?.deadline
      world.note("\(client.owner): \(wish) \(thing)")
      if judge.matters[thing]?.owner == client.owner { judge.wants(wish, of: thing) }
      var params: JSONObject = ["notification": .string(id)]
      params["number"] = wish.number.map { .int($0) }
      let isLate = deadline.map { world.clock.uptime >= $0 } ?? false
      let outcome = await client.ask(
        wish.isApproval ? "notification.approve" : "notification.deny",
        .object(params)
      )
      if isLate, case .result = outcome { world.violate("\(thing): \(wish) counts, which came too late") }
      judge.tells(outcome, of: wish, about: thing, by: client.owner)
      // After an error, the owner retries.
      guard case .error = outcome, tries > 1, world.happens(50) else { return }
      let pause = world.number(0...2000)
      try? await EventLoop.sleep(for: world.near(within: .seconds(30)) ?? .milliseconds(pause))
      decide(index, wish, on: thing, id, tries: tries - 1)
    }
  }

  /// The owner presses a button of a push that a transport delivered.
  private func press(_ index: Int, _ wish: Wish, on thing: String, _ text: String) {
    act(index) { [self] client in
      world.note("\(client.owner): presses \(wish) on \(thing)")
      if judge.matters[thing]?.owner == client.owner { judge.wants(wish, of: thing) }
      let outcome = await client.ask(
        "notification.act",
        ["action": .string(wish.isApproval ? "approve" : "deny"), "payload": .string(text)]
      )
      judge.tells(outcome, of: wish, about: thing, by: client.owner)
    }
  }

  /// A push arrives by another transport, maybe for another owner.
  func deliver(_ index: Int) {
    guard let thing = world.any(of: platform.state.pushes.keys.sorted()),
      let push = platform.state.pushes[thing]
    else { return }
    if world.happens(40) { return forge(index, push) }
    act(index) { [self] client in
      let outcome = await client.ask("notification.process", ["payload": ["message": .string(push.text)]])
      guard case .result(let result) = outcome, let object = result["notification"], !object.isNull else {
        return
      }
      if push.owner != client.owner { world.violate("\(client.owner) is given \(thing)") }
      judge.sees(object, of: client.owner)
    }
  }

  func takeBack() {
    guard let thing = world.any(of: platform.state.pushes.keys.sorted()) else { return }
    world.happens(50)
      ? platform.cancel(thing)
      : platform.settleElsewhere(thing, world.any(of: ["approved", "denied", "expired"]) ?? "denied")
  }

  // MARK: Reading

  func look(_ index: Int) {
    let ids = judge.matters.values.compactMap(\.id).sorted()
    let id = world.any(of: ids)
    act(index) { [self] client in
      guard case .result(let result) = await client.ask("notification.list", ["limit": 100]) else { return }
      for object in result["notifications"]?.array ?? [] { judge.sees(object, of: client.owner) }
      guard let id,
        case .result(let one) = await client.ask("notification.get", ["notification": .string(id)])
      else { return }
      judge.sees(one["notification"] ?? .null, of: client.owner)
    }
  }

  func passcode(_ index: Int) {
    let person = people[index]
    let isCounted = world.happens(60)
    guard let (account, secret) = isCounted ? person.counted : person.timed else { return }
    act(index) { [self] client in
      guard case .result(let result) = await client.ask("passcode.get", ["account": .string(account)]) else {
        return
      }
      isCounted
        ? judge.counts(result, secret: secret) : judge.times(result, secret: secret)
    }
  }

  /// A client program disconnects, even with pending requests, and another one connects.
  func leave(_ index: Int) {
    world.any(of: people[index].clients)?.close()
    people[index].clients.removeAll { !$0.isOpen }
    EventLoop.task { [self] in await connect(index, subscribes: world.happens(60)) }
  }

  // MARK: The world

  func changeWeather() {
    switch world.number(0...5) {
    case 0, 1: world.weather = .calm
    case 2: world.weather = Weather(lost: 25, doubled: 15, slow: 10)
    case 3:
      world.weather = Weather(lost: world.number(0...60), doubled: 10, slow: 20, hanging: 10, garbled: 5)
    default: world.weather = temper.storm
    }
    world.note("\(world.weather)")
  }

  func killCourier() {
    let length = world.any(of: [1...10, 10...40, 40...300]) ?? 1...10
    let seconds = world.happens(40) ? 0 : world.number(length)
    let absence = world.any(of: Link.Absence.allCases) ?? .unreachable
    world.note("the courier dies\(seconds > 0 ? " for \(seconds) s, \(absence)" : "")")
    link.drop()
    guard seconds > 0 else { return }
    link.leave(absence)
    EventLoop.after(.seconds(seconds)) { [link] in link.comeBack() }
  }

  /// Writes to the disk fail for a while, always or sometimes.
  func spoilDisk() {
    let disk = BadDisk(percent: world.any(of: [0, 10, 40, 100]) ?? 0, isFull: world.happens(50))
    world.note("\(disk)")
    setDisk(disk)
    EventLoop.after(.seconds(world.number(1...90))) { [weak self] in self?.setDisk(BadDisk()) }
  }

  func setDisk(_ disk: BadDisk) {
    world.disk = disk
    do { try machine.noticeDisk(of: world) } catch { world.violate("the disk cannot be spoilt: \(error)") }
  }

  func setClock() {
    guard world.clock.uptime > startedAt else { return }
    let seconds = world.happens(50) ? world.number(-100...100) : world.number(-90_000...90_000)
    world.note("the civil clock is off by \(seconds) s")
    world.clock.set(offBy: seconds)
    world.wasClockWrong = true
  }
}
