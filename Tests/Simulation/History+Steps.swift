internal import EventLoop
internal import Glibc
internal import JSON

extension History {
  /// Something happens, to somebody.
  func step(at index: Int) {
    latest = index
    switch world.number(0...99) {
    case 0..<21: signOn(index)
    case 21..<55: decide(index)
    case 55..<57: importCounted(index)
    case 57: flood(index)
    case 58..<63: look(index)
    case 63: if world.happens(50) { platform.changeKey() }
    case 64..<70: passcode(index)
    case 70..<73: deliver(index)
    case 73..<76: takeBack()
    case 76..<78: code(index)
    case 78..<81: leave(index)
    case 81..<86: changeWeather()
    case 86..<89: killCourier()
    case 89..<92: crash()
    case 92, 93: world.whenSomethingLeft = { [unowned self] in crash() }
    case 94: setClock()
    case 95, 96: rotate(index)
    case 97: remove(index)
    case 98: erase(index)
    default: world.happens(30) ? people.indices.forEach(pair) : pair(index)
    }
  }

  /// Does what an owner does, on one of their connections.
  func act(_ index: Int, _ body: @escaping @EventLoop @Sendable (Client) async -> Void) {
    guard let client = world.any(of: people[index].clients.filter(\.isOpen)) else { return }
    EventLoop.task { await body(client) }
  }

  private func signOn(_ index: Int) {
    let person = people[index]
    guard let device = person.device, let user = person.user, platform.state.devices[device] != nil else {
      return
    }
    for _ in 1...(world.happens(15) ? 3 : 1) {
      let lifetime = world.any(of: [2...15, 16...60, 16...60, 100...300]).map(world.number) ?? 60
      platform.ask(person.owner, device, user, lifetime: lifetime)
    }
  }

  /// Somebody who knows an owner's password tries again and again.
  private func flood(_ index: Int) {
    let person = people[index]
    guard let device = person.device, let user = person.user, platform.state.devices[device] != nil else {
      return
    }
    for _ in 1...world.number(15...30) {
      platform.ask(person.owner, device, user, lifetime: world.number(30...120), kind: "authentication")
    }
  }

  // MARK: Decisions

  /// An owner decides on one of their pushes, or tries to on one of somebody else's.
  private func decide(_ index: Int) {
    let owner = people[index].owner
    let isOwn = !world.happens(4)
    let things = judge.matters.filter { ($0.value.owner == owner) == isOwn && $0.value.kind != "code" }.keys
      .sorted()
    // What came last is what people look at.
    guard let thing = world.happens(70) ? things.max(by: Self.isEarlier) : world.any(of: things),
      let push = platform.state.pushes[thing]
    else { return }
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
      // Who is told that it did not work tries again.
      guard case .error = outcome, tries > 1, world.happens(50) else { return }
      try? await EventLoop.sleep(for: .milliseconds(world.number(0...2000)))
      decide(index, wish, on: thing, id, tries: tries - 1)
    }
  }

  /// An owner presses a button of a push as a transport brought it.
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

  /// A push comes by another way, maybe to somebody else.
  private func deliver(_ index: Int) {
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

  private func takeBack() {
    guard let thing = world.any(of: platform.state.pushes.keys.sorted()) else { return }
    world.happens(50)
      ? platform.cancel(thing)
      : platform.settleElsewhere(thing, world.any(of: ["approved", "denied", "expired"]) ?? "denied")
  }

  // MARK: Looking

  private func look(_ index: Int) {
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

  private func passcode(_ index: Int) {
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

  /// A program goes away, whatever it waits for, and another comes.
  private func leave(_ index: Int) {
    world.any(of: people[index].clients)?.close()
    people[index].clients.removeAll { !$0.isOpen }
    EventLoop.task { [self] in await connect(index, subscribes: world.happens(60)) }
  }

  // MARK: The world

  private func changeWeather() {
    switch world.number(0...5) {
    case 0, 1: world.weather = .calm
    case 2: world.weather = Weather(lost: 25, doubled: 15, slow: 10)
    case 3: world.weather = Weather(lost: 5, doubled: 30, slow: 30, garbled: 10)
    case 4: world.weather = Weather(lost: 10, slow: 5, refused: 30)
    default:
      world.weather = Weather(lost: world.number(0...60), doubled: 10, slow: 20, hanging: 10, garbled: 5)
    }
    world.note("\(world.weather)")
  }

  private func killCourier() {
    let seconds = world.happens(50) ? 0 : world.number(1...40)
    world.note("the courier dies\(seconds > 0 ? " for \(seconds) s" : "")")
    link.drop()
    guard seconds > 0 else { return }
    link.isUp = false
    EventLoop.after(.seconds(seconds)) { [link] in link.isUp = true }
  }

  private func setClock() {
    guard world.clock.uptime > startedAt else { return }
    let seconds = world.happens(50) ? world.number(-100...100) : world.number(-90_000...90_000)
    world.note("the civil clock is off by \(seconds) s")
    world.clock.set(offBy: seconds)
    world.wasClockWrong = true
  }
}
