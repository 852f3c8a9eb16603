internal import EventLoop
internal import Glibc
internal import JSON

extension History {
  /// Maximum seconds that a poller waits between two attempts, plus one poll.
  private static let longestWait = 400

  /// Ends all faults and user actions, waits until everything has completed, and checks the final state.
  func rest() async {
    world.note("calm")
    (world.weather, world.nearness, world.outage) = (.calm, 0, nil)
    link.comeBack()
    setDisk(BadDisk())
    world.whenSomethingLeft = nil
    try? await EventLoop.sleep(for: .milliseconds(10))
    world.clock.set(offBy: 0)
    let calmSince = world.clock.uptime
    if world.happens(25) { crash() }
    // After this time, earlier requests have timed out and late replies have arrived.
    try? await EventLoop.sleep(for: .seconds(45))
    let ends = max(judge.dues.last ?? .zero, judge.lastArrival(calmSince))
    let codes = platform.state.codes.values.map { $0.expiresAt - platform.now }.max() ?? 0
    // The daemon counts a code's lifetime from its arrival, which transit may delay by up to `longestWay`.
    let rest = max(ends - world.clock.uptime, .seconds(codes + World.longestWay), .zero)
    try? await EventLoop.sleep(for: rest + .seconds(2))
    for index in people.indices where world.violations.isEmpty { await check(index, calmSince) }
    await signOnOnceMore()
    secretsInTheJournal()
  }

  private func check(_ index: Int, _ calmSince: Duration) async {
    let owner = people[index].owner
    for client in people[index].clients where client.isOpen && client.unanswered > 0 {
      world.violate("\(owner) gets no reply to \(client.unanswered) requests")
    }
    await connect(index, subscribes: false)
    guard let client = people[index].clients.last,
      let objects = await notifications(client),
      case .result(let codes) = await client.ask("authentication.list"),
      case .result(let audit) = await client.ask("audit.verify")
    else { return world.violate("\(owner) cannot look") }
    judge.rests(owner, showing: objects, calmSince: calmSince)
    for client in people[index].clients where client.isOpen { judge.compares(client, with: objects) }
    if codes["authentications"]?.array?.contains(where: { $0["status"] == "CLAIMED" }) ?? false {
      world.violate("a code of \(owner) does not end")
    }
    if audit["ok"] != true { world.violate("the audit of \(owner) is broken: \(audit.brief)") }
    let authentications = codes["authentications"]?.array ?? []
    await checkAccounts(index, client, hasRequests: !objects.isEmpty || !authentications.isEmpty)
  }

  private func notifications(_ client: Client) async -> [JSON]? {
    var (objects, params): ([JSON], JSONObject) = ([], ["limit": 200])
    while true {
      guard case .result(let result) = await client.ask("notification.list", .object(params)) else {
        return nil
      }
      let page = result["notifications"]?.array ?? []
      objects += page
      guard page.count == 200, let last = page.last?["id"] else { return objects }
      params["before"] = last
    }
  }

  /// Checks that accounts still exist and open, that pending pairings complete, and that erased data stays
  /// erased.
  private func checkAccounts(_ index: Int, _ client: Client, hasRequests: Bool) async {
    let person = people[index]
    for typed in people[index].typed {
      let isPaired = await pairAtLast(client, index, typed)
      if !isPaired, !(platform.state.begun["pairing-\(typed.key)"]?.wasRefused ?? false) {
        world.violate("\(person.owner) cannot pair with \(typed.user)")
      }
    }
    for (account, secret) in [person.timed, person.counted].compactMap(\.self)
    where !doomed.contains(account) {
      guard case .result(let result) = await client.ask("passcode.get", ["account": .string(account)]) else {
        world.violate("\(person.owner) has no passcode any more")
        continue
      }
      account == person.counted?.account
        ? judge.counts(result, secret: secret) : judge.times(result, secret: secret)
    }
    guard person.isErased, case .result(let list) = await client.ask("account.list") else { return }
    if hasRequests || !(list["accounts"]?.array?.isEmpty ?? true) {
      world.violate("\(person.owner) is back, of whom everything was erased")
    }
  }

  /// Enters a key until it works, which requires that the platform's keys have been fetched.
  private func pairAtLast(_ client: Client, _ index: Int, _ typed: Typed) async -> Bool {
    for _ in 1...3 {
      if await pair(client, index, typed) { return true }
      try? await EventLoop.sleep(for: .seconds(35))
    }
    return false
  }

  /// Sends a push to each owner with an account, and checks that the decision reaches the platform.
  private func signOnOnceMore() async {
    for index in people.indices where world.violations.isEmpty {
      let person = people[index]
      guard !person.mayBeErased, !judge.uncertain.contains(person.owner), let device = person.device,
        let user = person.user, let client = person.clients.last(where: \.isOpen),
        platform.state.devices[device]?.users[user] != nil
      else { continue }
      guard await isActive(client, user) else {
        world.violate("the account of \(user) is gone here")
        continue
      }
      let thing = platform.ask(person.owner, device, user, lifetime: 600, kind: "authentication")
      var waited = 0
      while judge.matters[thing]?.id == nil, waited < Self.longestWait {
        try? await EventLoop.sleep(for: .seconds(5))
        waited += 5
        guard case .result(let list) = await client.ask("notification.list", ["limit": 5]) else { break }
        for object in list["notifications"]?.array ?? [] { judge.sees(object, of: person.owner) }
      }
      guard let id = judge.matters[thing]?.id else {
        world.violate("\(thing) does not arrive")
        continue
      }
      let wish = Wish(isApproval: true, number: platform.state.pushes[thing]?.number)
      judge.wants(wish, of: thing)
      var params: JSONObject = ["notification": .string(id)]
      params["number"] = wish.number.map { .int($0) }
      let outcome = await client.ask("notification.approve", .object(params))
      guard case .result = outcome else {
        world.violate("\(thing) cannot be approved")
        continue
      }
      judge.tells(outcome, of: wish, about: thing, by: person.owner)
    }
  }

  private func isActive(_ client: Client, _ user: String) async -> Bool {
    guard case .result(let list) = await client.ask("account.list") else { return false }
    return list["accounts"]?.array?.contains {
      $0["user"]?["id"]?.string == user && ($0["state"]?.string ?? "active") == "active"
    } ?? false
  }

  /// Checks that the daemon's journal contains no secret.
  private func secretsInTheJournal() {
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    guard pread(STDERR_FILENO, &bytes, bytes.count, 0) == bytes.count else { return }
    secrets.look(at: bytes, "the journal", world)
    let owners = Marker.owners(in: String(decoding: bytes, as: UTF8.self))
    if !owners.isEmpty { world.violate("what \(owners) were shown is in the journal") }
    ftruncate(STDERR_FILENO, 0)
  }
}
