import Accounts
import Approvals
import ControlAPI
import EventLoop
import Fixtures
import Interleaving
import JSON
import JSONRPC
import PingOne
import TestPlatform
import Testing
import Time
import Vault

extension PushScenario {
  /// Starts a random call of one of two clients, which may both wait for a result at the same time.
  func ask() {
    guard let wish = Wish.allCases.randomElement(using: &numbers) else { return }
    let client = Bool.random(using: &numbers) ? "A" : "B"
    let isLate = bench.clock.uptime >= deadline
    story.append("\(client): \(wish)\(isLate ? ", too late" : "")")
    let (life, id, payload) = (bench.life, id, payload)
    EventLoop.task { [self] in
      do {
        let owner = Bench.owner
        let object: NotificationObject?
        switch wish {
        case .approve, .approve42, .approve7:
          object = try await life.approvals.approve(id, method: "user", number: wish.number, owner: owner)
            .notification
        case .deny: object = try await life.approvals.deny(id, reason: "NONE", owner: owner).notification
        case .actApprove, .actDeny:
          let action: NotificationAction = wish == .actApprove ? .approve : .deny
          object = try await life.approvals.act(action, on: .string(payload), method: "user", owner: owner)
        }
        let isAct = wish == .actApprove || wish == .actDeny
        // A button affects only sign-ons. A push received again after its account was removed has another id.
        guard let object, let state = object.state.choice, object.id == id,
          !isAct || object.kind == .authentication
        else { return }
        if isLate, !isAct { fail("an answer counted after its time") }
        sights.append(.told(wish, state))
      } catch let error as RPCError { sights.append(.refused(wish, error)) } catch is PlatformError {
      } catch is Refusal {
      } catch { fail("\(error)") }
    }
  }

  func cancel() throws {
    guard bench.platform.outcomes[push] == nil else { return }
    story.append("cancelled")
    bench.platform.outcomes[push] = .cancelled
    _ = try? bench.receive(["type": "cancel", "cancels": .string(push), "jti": .string("c-" + push)])
  }

  func pass() async {
    let seconds = Int.random(in: 1...100, using: &numbers)
    story.append("\(seconds) s pass")
    await bench.pass(.seconds(seconds))
  }

  /// Sets the wall clock, like an administrator or a time server.
  func setClock() {
    let seconds = Int.random(in: -100_000...100_000, using: &numbers)
    story.append("the clock is set by \(seconds) s")
    bench.clock.set(bench.clock.now.adding(seconds: seconds))
  }

  func decideElsewhere() {
    guard bench.platform.outcomes[push] == nil else { return }
    let outcome = [RemoteStatus.approved, .denied, .expired].randomElement(using: &numbers) ?? .denied
    story.append("\(outcome) elsewhere")
    bench.platform.outcomes[push] = outcome
  }

  func rotate() {
    story.append("new keys")
    let life = bench.life
    EventLoop.task { _ = try? await life.devices.rotateKeys(of: Bench.owner) }
  }

  func deliverAgain() {
    story.append("delivered again")
    _ = try? bench.pushes.process(.string(payload), owner: Bench.owner)
  }

  func lock() {
    if bench.platform.lock == nil {
      story.append("the account is locked")
      let until = bench.clock.now.adding(seconds: Int.random(in: 1...100, using: &numbers))
      bench.platform.lock = AccountLock(policy: "p", expiresAt: until)
    } else {
      story.append("the account is open")
      bench.platform.lock = nil
    }
  }

  /// Removes the device, account, owner or pairing of the push.
  func uproot() async throws {
    isUprooted = true
    let life = bench.life
    switch Int.random(in: 0..<4, using: &numbers) {
    case 0:
      story.append("the device is forgotten")
      bench.platform.forgetDevices()
      guard let account = try life.accounts.list(of: Bench.owner).first?.id else { return }
      EventLoop.task { _ = try? await life.accounts.rename(account, to: "n", owner: Bench.owner) }
    case 1:
      let isLocal = Bool.random(using: &numbers)
      guard let account = try life.accounts.list(of: Bench.owner).first?.id else { return }
      story.append("the account is removed\(isLocal ? " here" : "")")
      EventLoop.task {
        _ = try? await life.accounts.remove(account, localOnly: isLocal, owner: Bench.owner)
      }
    case 2:
      story.append("the owner is erased")
      try await life.owners.erase(Bench.owner)
    default:
      story.append("the user is paired again")
      EventLoop.task { _ = try? await life.pairings.pair("01ABCDEFGHJKMN", owner: Bench.owner) }
    }
  }

  func release() async {
    await release(from: gate) { visit in
      [nil, nil, nil, .outOfReach, .brokenDown] + (visit.moment == .request ? [.refused(.failedPolicy)] : [])
    }
  }

  func crash() async throws {
    story.append("crash")
    await settle()
    gate.abandon()
    gate = Self.gate(bench)
    look()
    try bench.crash()
    seenEvents = bench.events.count
    let left = max(0, expiresAt.seconds(since: bench.clock.now))
    deadline = bench.clock.uptime + .seconds(min(left, timeout))
    let life = bench.life
    EventLoop.task { try? await life.approvals.resume() }
  }

  /// Records new decisions and then newly announced states, because a decision precedes its state.
  func look() {
    for decision in bench.platform.decisions[seenDecisions...] where decision.about == push {
      sights.append(
        .heard("\(decision.claims["decision"]?.string ?? "")\(decision.claims["number"]?.int ?? 0)")
      )
    }
    seenDecisions = bench.platform.decisions.count
    for event in bench.events[seenEvents...] where event.payload["id"]?.string == id {
      guard let state = event.payload["state"]?.string.flatMap(NotificationObject.State.init(rawValue:))
      else {
        continue
      }
      sights.append(.state(state))
    }
    seenEvents = bench.events.count
    checkShown()
  }
}
