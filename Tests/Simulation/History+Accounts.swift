internal import EventLoop
internal import Glibc
internal import JSON

extension History {
  func rotate(_ index: Int) {
    act(index) { [self] client in
      world.note("\(client.owner): new keys")
      _ = await client.ask("device.rotateKeys")
    }
  }

  /// An owner removes their account, there and here.
  func remove(_ index: Int) {
    guard let (account, _) = people[index].timed else { return }
    let isLocal = world.happens(40)
    act(index) { [self] client in
      world.note("\(client.owner): removes the account\(isLocal ? " here" : "")")
      judge.uproots(client.owner)
      people[index].user = nil
      let outcome = await client.ask(
        "account.remove",
        ["account": .string(account), "localOnly": .bool(isLocal)]
      )
      guard case .result(let result) = outcome else { return }
      if result["remainsOnServer"] == false, let device = people[index].device,
        !(platform.state.devices[device]?.users.isEmpty ?? true), people[index].timed?.account == account
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

  /// An owner has everything erased.
  func erase(_ index: Int) {
    act(index) { [self] client in
      world.note("\(client.owner): erases everything")
      judge.uproots(client.owner)
      let device = people[index].device
      guard case .result = await client.ask("device.removeLocalData", ["confirm": true]) else { return }
      world.note("\(client.owner): everything is erased")
      if let device { judge.erased[device] = world.clock.uptime }
      people[index] = Person(owner: client.owner, clients: people[index].clients)
      for (method, member) in [("notification.list", "notifications"), ("account.list", "accounts")] {
        guard case .result(let result) = await client.ask(method) else { return }
        if !(result[member]?.array?.isEmpty ?? false), people[index].device == nil {
          world.violate("\(client.owner) has \(member) after everything was erased")
        }
      }
    }
  }

  /// An owner who has no account pairs again.
  func pair(_ index: Int) {
    guard people[index].user == nil else { return }
    let owner = people[index].owner
    act(index) { [self] client in
      await pair(client, index, secret: Template.secret(owner, world.number(10...99)))
    }
  }

  func pair(_ client: Client, _ index: Int, secret: [UInt8]) async {
    let key = Template.pairingKey(platform.nextID("k"))
    let user = platform.nextID("u")
    secrets.add(secret)
    platform.state.enrolments[key] = Platform.Enrolment(owner: client.owner, user: user, secret: secret)
    world.note("\(client.owner): pairs with \(user)")
    judge.uproots(client.owner)
    guard case .result = await client.ask("pairing.pair", ["pairingKey": .string(key)]),
      case .result(let list) = await client.ask("account.list"),
      let account = list["accounts"]?.array?.first(where: { $0["user"]?["id"]?.string == user })?["id"]?
        .string
    else { return }
    let device = platform.state.devices.first { $0.value.users[user] != nil }?.key
    guard let device else { return world.violate("\(user) is paired here and not there") }
    (people[index].user, people[index].device) = (user, device)
    people[index].timed = (account, secret)
  }

  /// An owner types a code that is shown where they sign on, and decides.
  func code(_ index: Int) {
    guard people[index].user != nil else { return }
    let owner = people[index].owner
    let request = platform.nextID("r")
    let text = "C" + String(10_000_000 + platform.state.count).dropFirst()
    let lifetime = world.number(10...120)
    platform.state.codes[text] = Platform.Code(
      request: request,
      owner: owner,
      expiresAt: platform.now + lifetime
    )
    judge.expect(request, of: owner, "code")
    let wish = Wish(isApproval: world.happens(60))
    let wait = Duration.milliseconds(world.number(0...20_000))
    act(index) { [self] client in
      world.note("\(owner): types \(request)")
      guard case .result(let code) = await client.ask("authentication.start", ["code": .string(text)]),
        let id = code["id"]?.string
      else { return }
      try? await EventLoop.sleep(for: wait)
      world.note("\(owner): \(wish) \(request)")
      judge.wants(wish, of: request)
      let outcome = await client.ask(
        wish.isApproval ? "authentication.approve" : "authentication.deny",
        ["authentication": .string(id)]
      )
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
