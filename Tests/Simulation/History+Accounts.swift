internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC

extension History {
  func rotate(_ index: Int) {
    act(index) { [self] client in
      world.note("\(client.owner): new keys")
      _ = await client.ask("device.rotateKeys")
    }
  }

  /// The owner removes the account, locally and maybe at the platform.
  func remove(_ index: Int) {
    guard let (account, _) = people[index].timed else { return }
    doomed.insert(account)
    let isLocal = world.happens(40)
    act(index) { [self] client in
      world.note("\(client.owner): removes the account\(isLocal ? " here" : "")")
      judge.uproots(client.owner)
      let user = people[index].user
      people[index].user = nil
      let outcome = await client.ask(
        "account.remove",
        ["account": .string(account), "localOnly": .bool(isLocal)]
      )
      guard case .result(let result) = outcome else { return }
      if result["remainsOnServer"] == false, let device = people[index].device,
        let user, platform.state.devices[device]?.users[user] != nil,
        people[index].timed?.account == account
      {
        world.violate("\(client.owner)'s account remains there, and it was said that it does not")
      }
      guard people[index].timed?.account == account else { return }
      people[index].timed = nil
      guard case .result(let list) = await client.ask("account.list") else { return }
      if list["accounts"]?.array?.contains(where: { $0["id"]?.string == account }) ?? false {
        world.violate("\(client.owner)'s account is still there")
      }
    }
  }

  /// The owner erases everything.
  func erase(_ index: Int) {
    act(index) { [self] client in
      world.note("\(client.owner): erases everything")
      judge.uproots(client.owner)
      let device = people[index].device
      for account in [people[index].timed?.account, people[index].counted?.account] {
        if let account { doomed.insert(account) }
      }
      people[index].typed = []
      erasuresBegun += 1
      let erasure = erasuresBegun
      people[index].erasures.insert(erasure)
      let isMaking = making.contains(client.owner)
      let outcome = await client.ask("device.removeLocalData", ["confirm": true])
      // An erasure that could not be stored completely may have had partial effects.
      if case .error(let code, _) = outcome {
        if code == RPCError.storage.code {
          judge.uncertain.insert(client.owner)
        } else {
          people[index].erasures.remove(erasure)
        }
      }
      guard case .result = outcome else { return }
      world.note("\(client.owner): everything is erased")
      if let device { judge.erased[device] = world.clock.uptime }
      judge.uproots(client.owner)
      if let secret = people[index].counted?.secret { judge.counters[secret] = nil }
      leaveWhatIsNew(index, erasure, isMaking)
      for (method, member) in [("notification.list", "notifications"), ("account.list", "accounts")] {
        guard case .result(let result) = await client.ask(method) else { return }
        if !(result[member]?.array?.isEmpty ?? false), people[index].isErased {
          world.violate("\(client.owner) has \(member) after everything was erased")
        }
      }
    }
  }

  /// After an erasure, only accounts survive that the owner added since.
  ///
  /// Accounts being added when it began may or may not survive.
  private func leaveWhatIsNew(_ index: Int, _ erasure: Int, _ wasMaking: Bool) {
    let before = people[index]
    let isLast = before.erasures.contains(erasure)
    people[index] = Person(owner: before.owner, clients: before.clients)
    // Another erasure may be in flight, which also erases accounts added meanwhile.
    people[index].erasures = before.erasures.subtracting([erasure])
    people[index].isErased = isLast && !wasMaking && !making.contains(before.owner)
    guard !isLast else { return }
    people[index].typed = before.typed
    if let timed = before.timed, !doomed.contains(timed.account) {
      (people[index].timed, people[index].user, people[index].device) = (timed, before.user, before.device)
    }
    if let counted = before.counted, !doomed.contains(counted.account) { people[index].counted = counted }
  }

  /// An owner without an account pairs, maybe with a key that failed before.
  func pair(_ index: Int) {
    if world.happens(30) { return people.indices.forEach(pairUnlessPaired) }
    let unpaired = people.indices.filter { people[$0].user == nil }
    pairUnlessPaired(people[index].user == nil ? index : world.any(of: unpaired) ?? index)
  }

  private func pairUnlessPaired(_ index: Int) {
    guard people[index].user == nil else { return }
    let typed = (world.happens(70) ? world.any(of: people[index].typed) : nil) ?? newKey(for: index)
    act(index) { [self] client in await pair(client, index, typed) }
  }

  private func newKey(for index: Int) -> Typed {
    let owner = people[index].owner
    let typed = Typed(
      key: Template.pairingKey(platform.nextID("k")),
      user: platform.nextID("u"),
      secret: Template.secret(owner, world.number(10...99))
    )
    secrets.add(typed.secret)
    platform.state.enrolments[typed.key] = Platform.Enrolment(
      owner: owner,
      user: typed.user,
      secret: typed.secret
    )
    return typed
  }

  /// Enters a pairing key.
  ///
  /// Returns true if it worked, now or before.
  @discardableResult
  func pair(_ client: Client, _ index: Int, _ typed: Typed) async -> Bool {
    let user = typed.user
    world.note("\(client.owner): pairs with \(user)")
    judge.uproots(client.owner)
    begin(index)
    defer { finish(index) }
    if !people[index].typed.contains(where: { $0.key == typed.key }) { people[index].typed.append(typed) }
    _ = await client.ask("pairing.pair", ["pairingKey": .string(typed.key)])
    guard case .result(let list) = await client.ask("account.list"),
      let account = list["accounts"]?.array?.first(where: {
        $0["user"]?["id"]?.string == user && ($0["state"]?.string ?? "active") == "active"
      })?["id"]?.string
    else { return false }
    let device = platform.state.devices.first { $0.value.users[user] != nil }?.key
    guard let device else {
      world.violate("\(user) is paired here and not there")
      return false
    }
    guard let one = people[index].typed.firstIndex(where: { $0.key == typed.key }) else { return true }
    people[index].typed.remove(at: one)
    (people[index].user, people[index].device) = (user, device)
    people[index].timed = (account, typed.secret)
    judge.uncertain.remove(people[index].owner)
    return true
  }

  /// From now on the owner has data again, despite earlier erasures.
  private func begin(_ index: Int) {
    (people[index].isErased, people[index].erasures) = (false, [])
    making.append(people[index].owner)
  }

  private func finish(_ index: Int) {
    if let one = making.firstIndex(of: people[index].owner) { making.remove(at: one) }
  }

  /// The owner imports an HOTP secret: a new one, maybe after a dry run, or one that exists already.
  func importCounted(_ index: Int) {
    let owner = people[index].owner
    let known = people[index].counted
    let secret = known?.secret ?? Template.secret(owner, world.number(100...999))
    let uri = Template.countedURI(secret, of: owner, from: known == nil ? 0 : world.number(0...9))
    let (isTriedOut, isExport) = (world.happens(40), world.happens(50))
    secrets.add(secret)
    act(index) { [self] client in
      world.note("\(owner): brings a secret that is \(known == nil ? "new" : "here")")
      begin(index)
      defer { finish(index) }
      if isTriedOut {
        _ = await client.ask("account.import", ["data": .string(uri), "dryRun": true])
      }
      let outcome =
        isExport
        ? await client.ask("account.import", ["data": .string(uri)])
        : await client.ask("passcode.import", ["uri": .string(uri)])
      guard case .result(let result) = outcome else { return }
      let made = isExport ? result["accounts"]?.array?.first?["id"]?.string : result["id"]?.string
      guard let made else { return }
      if let known, !doomed.contains(known.account) {
        return world.violate("a secret of \(owner) is there twice")
      }
      // An import of an existing secret resets its counter.
      if known != nil { judge.counters[secret] = nil }
      people[index].counted = (made, secret)
    }
  }

  /// The owner enters a code from a sign-on page, then approves or denies it.
  func code(_ index: Int) {
    guard people[index].user != nil else { return }
    let owner = people[index].owner
    let request = platform.nextID("r")
    let text = "C" + String(10_000_000 + platform.state.count).dropFirst()
    let lifetime = world.number(10...120)
    let pause = Duration.milliseconds(world.number(world.happens(70) ? 0...20_000 : 0...130_000))
    platform.state.codes[text] = Platform.Code(
      request: request,
      owner: owner,
      expiresAt: platform.now + lifetime
    )
    judge.expect(request, of: owner, "code")
    let wish = Wish(isApproval: world.happens(60))
    act(index) { [self] client in
      world.note("\(owner): types \(request)")
      guard case .result(let code) = await client.ask("authentication.start", ["code": .string(text)]),
        let id = code["id"]?.string
      else { return }
      judge.sees(code, request, lifetime: platform.state.codes[text]?.lifetime ?? 0)
      let isOver = { [platform] in platform.now >= platform.state.codes[text]?.expiresAt ?? 0 }
      if code["status"] == "EXPIRED", !isOver() { world.violate("\(request) ends before its time") }
      try? await EventLoop.sleep(for: world.near(within: .seconds(130)) ?? pause)
      world.note("\(owner): \(wish) \(request)")
      judge.wants(wish, of: request)
      let isInTime = !isOver()
      let outcome = await client.ask(
        wish.isApproval ? "authentication.approve" : "authentication.deny",
        ["authentication": .string(id)]
      )
      let isTaken = platform.state.codes[text]?.standing == (wish.isApproval ? "COMPLETED" : "DENIED")
      // A code may expire before a decision reaches the platform.
      if isInTime, isTaken || !isOver(), case .error(11004, _) = outcome {
        world.violate("\(request) ends before its time")
      }
      guard case .result(let result) = outcome, let status = result["status"]?.string, status != "EXPIRED"
      else { return }
      let truth = platform.state.codes[text]?.standing
      if truth != status { world.violate("\(request) is \(status) here and \(truth ?? "nowhere") there") }
      if (status == "COMPLETED") != wish.isApproval {
        world.violate("\(request): \(wish) was asked, and it is \(status)")
      }
    }
  }
}
