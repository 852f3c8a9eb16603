import EventLoop
import Glibc
import Machine
import Synchronization
import TestLoop
import Testing
import Time

@testable import Daemon

/// A user database that counts lookups, and a clock that the test moves.
private final class FakeMachine: Sendable {
  let files = Mutex<[UInt32: UserLookupResult]>([:])
  let services = Mutex<[UInt32: UserLookupResult]>([:])
  let asked = Mutex<[UInt32]>([])
  /// Users for which the name services do not answer until the test removes them.
  let held = Mutex<Set<UInt32>>([])
  private let seconds = Mutex(1)

  func wait(_ seconds: Int) { self.seconds.withLock { $0 += seconds } }

  @EventLoop
  func register() -> UserLookup {
    var sources = UserLookup.Sources()
    sources.files = { [self] user in
      asked.withLock { $0.append(user) }
      return files.withLock { $0[user] }
    }
    sources.services = { [self] user in
      while held.withLock({ $0.contains(user) }) { usleep(200) }
      return services.withLock { $0[user] ?? .unknown }
    }
    return UserLookup(
      sources,
      time: TimeSource(
        now: { Timestamp(seconds: 0) },
        uptime: { [self] in .seconds(seconds.withLock { $0 }) }
      )
    )
  }

  func count(of user: UInt32) -> Int { asked.withLock { $0.count { $0 == user } } }
}

@Suite("user lookup", .timeLimit(.minutes(30)))
struct UserLookupTests {
  @Test(
    "a result is cached for the time of its kind",
    arguments: [(.known, 300), (.unknown, 10), (.subordinate, 10), (.undecided(5), 1)]
      as [(UserLookupResult, Int)]
  )
  func memory(standing: UserLookupResult, seconds: Int) async throws {
    try await TestLoop.run {
      let machine = FakeMachine()
      machine.files.withLock { $0[7] = standing }
      let register = machine.register()
      #expect(register.remembered(7) == nil)
      #expect(await register.standing(of: 7) == standing)
      machine.wait(seconds - 1)
      #expect(register.remembered(7) == standing)
      #expect(await register.standing(of: 7) == standing)
      #expect(machine.count(of: 7) == 1)
      machine.wait(1)
      #expect(register.remembered(7) == nil)
      machine.files.withLock { $0[7] = standing == .known ? .subordinate : .known }
      #expect(await register.standing(of: 7) == (standing == .known ? .subordinate : .known))
      #expect(machine.count(of: 7) == 2)
    }
  }

  @Test("name services are queried for users that are not in the files")
  func services() async throws {
    try await TestLoop.run {
      let machine = FakeMachine()
      machine.services.withLock { $0 = [7: .known, 8: .undecided(5)] }
      let register = machine.register()
      #expect(await register.standing(of: 7) == .known)
      #expect(await register.standing(of: 8) == .undecided(5))
      #expect(await register.standing(of: 9) == .unknown)
    }
  }

  @Test(
    "a hanging name service does not delay users from files and is queried once"
  )
  func hanging() async throws {
    try await TestLoop.run {
      let machine = FakeMachine()
      machine.held.withLock { $0 = [7] }
      machine.files.withLock { $0[8] = .known }
      machine.services.withLock { $0[7] = .known }
      let register = machine.register()
      let waiting = (0..<3).map { _ in EventLoop.task { await register.standing(of: 7) } }
      #expect(await register.standing(of: 8) == .known)
      #expect(register.remembered(7) == nil)
      machine.held.withLock { $0 = [] }
      for each in waiting { #expect(await each.value == .known) }
      #expect(machine.count(of: 7) == 1)
    }
  }

  @Test("many unknown users do not evict a known user")
  func strangers() async throws {
    try await TestLoop.run {
      let machine = FakeMachine()
      machine.files.withLock { $0[7] = .known }
      let register = machine.register()
      #expect(await register.standing(of: 7) == .known)
      for user in UInt32(100)..<2200 { #expect(await register.standing(of: user) == .unknown) }
      #expect(register.remembered(7) == .known)
      #expect(register.remembered(100) == nil, "of strangers only the latest are remembered")
    }
  }
}
