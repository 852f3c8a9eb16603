import Accounts
import Approvals
import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import OpenSSL
import SQLite
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@testable import PingAM

@Suite("pushes of PingAM servers while their owner is locked", .timeLimit(.minutes(30)))
struct UnreadTests {
  private static let pin = "280491"

  /// Runs a test with an owner that has an account and is locked by a PIN.
  private static func locked(_ body: @escaping @EventLoop @Sendable (AMBench) async throws -> Void)
    async throws
  {
    try await AMBench.run { bench in
      try bench.own()
      try await bench.life.lock.set(pin, current: nil, owner: AMBench.owner)
      try await body(bench)
    }
  }

  @EventLoop
  private static func unlock(_ bench: AMBench) async throws {
    _ = try await bench.life.lock.unlock(pin, seconds: 300, owner: AMBench.owner)
    try bench.life.vault.commit()
  }

  /// Delivers a push while its secret is locked.
  @EventLoop
  private static func bring(_ payload: JSON, _ bench: AMBench) throws {
    #expect(try bench.life.approvals.process(payload, owner: AMBench.owner) == nil)
    try bench.life.vault.commit()
  }

  @EventLoop
  private static func shown(_ bench: AMBench) throws -> [NotificationObject] {
    try bench.life.approvals.notifications(of: AMBench.owner, state: nil, page: Page(limit: 50))
  }

  @EventLoop
  private static func kept(_ bench: AMBench) throws -> [[UInt8]] {
    try bench.life.vault.database.rows("SELECT message FROM am_unread ORDER BY sequence") { $0.blob(0) }
  }

  private static func error<R>(_ body: () async throws -> R) async -> RPCError? {
    do {
      _ = try await body()
      return nil
    } catch { return RPCError(naming: error) }
  }

  @Test("the secret is sealed by the guard key, also if an earlier release stored it without")
  func secret() async throws {
    try await Self.locked { bench in
      let account = try #require(bench.life.am.active(of: AMBench.owner).first)
      #expect(throws: RPCError.locked) { try bench.life.am.secret(of: account) }
      let count: StaticString = "SELECT count(*) FROM am_account WHERE is_guarded = 0"
      #expect(try bench.life.vault.database.row(count) { $0.int(0) } == 0)
      // The guard key seals the secret. The data key of its row alone cannot open it.
      let sealed = try #require(
        try bench.life.vault.database.row("SELECT secret FROM am_account") { $0.blob(0) }
      )
      let label = SealLabel("pingam.secret", row: account.account.id, owner: AMBench.owner)
      #expect(throws: (any Error).self) {
        try bench.life.accounts.dataKey(of: account.account).openSecret(sealed, as: label)
      }
      try await Self.unlock(bench)
      let opened = try bench.life.am.secret(of: account)
      #expect(opened.withBytes { Array($0) } == AMBench.secret)
      // Stores the secret as a release without PIN support did.
      let plain = try bench.life.accounts.dataKey(of: account.account).seal(opened, as: label)
      try bench.life.vault.write {
        try $0.run("UPDATE am_account SET secret = ?, is_guarded = 0", .blob(plain))
      }
      try bench.life.lock.lock(AMBench.owner)
      #expect(throws: RPCError.locked) { try bench.life.am.secret(of: account) }
      try await Self.unlock(bench)
      #expect(try bench.life.vault.database.row(count) { $0.int(0) } == 0)
      #expect(try bench.life.am.secret(of: account).withBytes { Array($0) } == AMBench.secret)
    }
  }

  @Test("a push received while locked is kept sealed, survives a crash and is read at unlocking")
  func reading() async throws {
    try await Self.locked { bench in
      let payload = try bench.push()
      for _ in 0..<2 { try Self.bring(payload, bench) }
      try bench.crash()
      try Self.bring(payload, bench)
      #expect(try Self.shown(bench).isEmpty && Self.kept(bench).count == 1)
      let token = try #require(payload["message"]?.string)
      #expect(try !String(decoding: Self.kept(bench)[0], as: UTF8.self).contains(token))
      await bench.pass(.seconds(20))
      try await Self.unlock(bench)
      let push = try #require(Self.shown(bench).first)
      #expect(try Self.shown(bench).count == 1 && Self.kept(bench).isEmpty)
      #expect(push.state == .pending && push.content.body == "Login attempt from bob at ForgeRock")
      #expect(push.receivedAt == AMBench.start && push.expiresAt == AMBench.start.adding(seconds: 120))
      #expect(try await bench.approve(push.id).notification.state == .approved)
    }
  }

  @Test("the time to answer starts at arrival, also for a push without a time")
  func lateness() async throws {
    try await Self.locked { bench in
      try Self.bring(try bench.push(["i": .null], id: "AUTHENTICATE:1"), bench)
      await bench.pass(.seconds(100))
      try Self.bring(try bench.push(["i": .null], id: "AUTHENTICATE:2"), bench)
      await bench.pass(.seconds(20))
      try await Self.unlock(bench)
      #expect(try Self.shown(bench).map(\.state.choice) == [.pending, .expired])
      await bench.pass(.seconds(99))
      #expect(try Self.shown(bench).first?.state == .pending)
      await bench.pass(.seconds(1))
      #expect(try Self.shown(bench).first?.state == .expired)
    }
  }

  @Test("the newest twenty pushes are kept, and forged ones are dropped at unlocking")
  func bounds() async throws {
    try await Self.locked { bench in
      for number in 0..<30 { try Self.bring(try bench.push(id: "AUTHENTICATE:\(number)"), bench) }
      #expect(try Self.kept(bench).count == 20)
      var forged = try #require(try bench.push(id: "AUTHENTICATE:forged").object)
      forged["message"] = forged["message"]?.string.map { .string($0.dropLast(4) + "AAAA") }
      try Self.bring(.object(forged), bench)
      #expect(try Self.kept(bench).count == 20)
      try await Self.unlock(bench)
      let ids = Set(try Self.shown(bench).map(\.id))
      #expect(ids.count == 19)
      for number in 11..<30 {
        let again = try bench.receive(try bench.push(id: "AUTHENTICATE:\(number)"))
        #expect(ids.contains(again.id))
      }
    }
  }

  @Test("each loop iteration reads one kept push, and the unlock ends after the last one")
  func batches() async throws {
    try await Self.locked { bench in
      for number in 0..<5 { try Self.bring(try bench.push(id: "AUTHENTICATE:\(number)"), bench) }
      let unlock = EventLoop.task { try await Self.unlock(bench) }
      var counts = [5]
      while counts.last != 0 {
        await TestLoop.turn()
        let count = try Self.kept(bench).count
        if count != counts.last { counts.append(count) }
      }
      #expect(counts == [5, 4, 3, 2, 1, 0])
      try await unlock.value
      #expect(try Self.shown(bench).count == 5)
    }
  }

  @Test("an account hides its user while the owner is locked, because the user's id is a name")
  func user() async throws {
    try await Self.locked { bench in
      let account = try #require(bench.life.am.active(of: AMBench.owner).first)
      try bench.life.am.learn("bob", of: account)
      #expect(try bench.life.accounts.shown(account.account)?.user == nil)
      try await Self.unlock(bench)
      #expect(try bench.life.accounts.shown(account.account)?.user == User(id: "bob"))
    }
  }

  @Test("without a PingAM account no push is kept")
  func nobody() async throws {
    try await AMBench.run { bench in
      try await bench.life.lock.set(Self.pin, current: nil, owner: AMBench.owner)
      #expect(throws: RPCError.tokenRejected) {
        try bench.life.approvals.process(try bench.push(), owner: AMBench.owner)
      }
      #expect(try Self.kept(bench).isEmpty)
    }
  }

  @Test("unread pushes are deleted with their owner and after the retention time")
  func removal() async throws {
    try await Self.locked { bench in
      try Self.bring(try bench.push(), bench)
      bench.clock.pass(.seconds(40 * 86_400))
      bench.life.retention.start()
      #expect(try Self.kept(bench).isEmpty)
      try Self.bring(try bench.push(id: "AUTHENTICATE:2"), bench)
      try await bench.life.accounts.core.owners.erase(AMBench.owner)
      #expect(try Self.kept(bench).isEmpty)
    }
  }

  @Test("approval and denial both require the PIN")
  func denying() async throws {
    try await Self.locked { bench in
      try await Self.unlock(bench)
      let push = try bench.receive(try bench.push())
      try bench.life.lock.lock(AMBench.owner)
      #expect(await Self.error { try await bench.deny(push.id) } == .locked)
      #expect(try bench.state(of: push.id) == .pending && bench.requests.isEmpty)
      let presence = bench.life.approvals.presence
      let approved = try await presence.verifying(.pin(Self.pin), of: AMBench.owner) {
        try await bench.approve(push.id).notification
      }
      #expect(approved.state == .approved && approved.answer?.authenticationMethod == "pin")
    }
  }

  @Test("a new push address is sent after its owner unlocks")
  func address() async throws {
    try await Self.locked { bench in
      bench.token = "t2"
      try bench.life.refresh.addressChanged(of: AMBench.owner)
      try bench.life.vault.commit()
      await bench.pass(.seconds(600))
      #expect(bench.requests.isEmpty)
      try await Self.unlock(bench)
      await TestLoop.settle()
      #expect(try bench.requests.map { try bench.heard($0).claims["deviceId"] } == ["t2"])
      #expect(try bench.life.am.table.accountsWithUnsentAddress().isEmpty)
    }
  }

  @Test("a button on an unread push fails with locked, and works after unlocking")
  func button() async throws {
    try await Self.locked { bench in
      let payload = try bench.push()
      let deny = { @EventLoop @Sendable () async throws in
        try await bench.life.approvals.act(.deny, on: payload, method: "user", owner: AMBench.owner)
      }
      for _ in 0..<2 { #expect(await Self.error { try await deny() } == .locked) }
      try bench.life.vault.commit()
      #expect(try Self.kept(bench).count == 1 && bench.requests.isEmpty)
      try await Self.unlock(bench)
      #expect(try Self.shown(bench).map(\.state.choice) == [.pending])
      #expect(try await deny()?.state == .denied)
    }
  }

  @Test("a denial made before locking is sent after unlocking")
  func deniedBefore() async throws {
    try await Self.locked { bench in
      try await Self.unlock(bench)
      let push = try bench.receive(try bench.push())
      bench.answer = { _ throws(CourierFailure) in throw .unresolved }
      #expect(await Self.error { try await bench.deny(push.id) } != nil)
      try bench.life.lock.lock(AMBench.owner)
      bench.answer = { _ throws(CourierFailure) in .taken }
      await bench.pass(.seconds(1))
      #expect(try bench.state(of: push.id) == .sending && bench.requests.count == 1)
      try await Self.unlock(bench)
      await bench.pass(.seconds(30))
      #expect(try bench.state(of: push.id) == .denied)
      #expect(try bench.lastHeard().claims["deny"] == true)
    }
  }

  @Test("a PIN given for one call does not sign later requests")
  func addressInPassing() async throws {
    try await Self.locked { bench in
      bench.token = "t2"
      bench.answer = { _ throws(CourierFailure) in throw .unreachable }
      try await bench.life.approvals.presence.verifying(.pin(Self.pin), of: AMBench.owner) {
        try bench.life.refresh.addressChanged(of: AMBench.owner)
      }
      await TestLoop.settle()
      let count = bench.requests.count
      await bench.pass(.seconds(600))
      #expect(bench.requests.count == count)
      bench.answer = { _ throws(CourierFailure) in .taken }
      try await Self.unlock(bench)
      await TestLoop.settle()
      #expect(try bench.life.am.table.accountsWithUnsentAddress().isEmpty)
    }
  }
}
