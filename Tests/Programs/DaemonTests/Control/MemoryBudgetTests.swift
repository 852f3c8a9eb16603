import EventLoop
import TestLoop
import Testing

@testable import Daemon

@Suite("memory budget")
struct MemoryBudgetTests {
  private typealias Limits = MemoryBudget.Limits

  @Test("an owner's connections share the owner's limit for all kinds of memory")
  func owner() async throws {
    try await TestLoop.run {
      let account = MemoryBudget(owners: 256)
      let (one, two, other) = (
        ConnectionMemory(account, owner: 1), ConnectionMemory(account, owner: 1),
        ConnectionMemory(account, owner: 2)
      )
      one.lines = Limits.perOwner / 2
      two.events = Limits.perOwner / 2 - 1
      #expect(one.hasRoom && two.hasRoom)
      two.replies = 1
      #expect(!one.hasRoom && !two.hasRoom && other.hasRoom)
      two.events -= 1
      #expect(one.hasRoom)
    }
  }

  @Test("each owner has a guaranteed minimum, and the total is limited")
  func inAll() async throws {
    try await TestLoop.run {
      let account = MemoryBudget(owners: 256)
      let greedy = (0..<8).map { ConnectionMemory(account, owner: UInt32($0)) }
      for share in greedy {
        while share.hasRoom { share.unsent += 1024 }
      }
      let late = (8..<256).map { ConnectionMemory(account, owner: UInt32($0)) }
      for share in late {
        #expect(share.hasRoom)
        while share.hasRoom { share.requests += 1024 }
      }
      let all = greedy.reduce(0) { $0 + $1.unsent } + late.reduce(0) { $0 + $1.requests }
      // Each owner may exceed the limit by its last allocation.
      #expect(all <= Limits.inAll + 256 * 1024)
      #expect(late.allSatisfy { $0.requests == Limits.mostGuaranteed })
      greedy.first?.close()
      #expect(late.last?.hasRoom == true)
    }
  }

  @Test("a rejected connection is notified once when memory is free, also after another one closes")
  func room() async throws {
    try await TestLoop.run {
      let account = MemoryBudget(owners: 256)
      var told = 0
      account.onRoom = { told += 1 }
      let (one, two) = (ConnectionMemory(account, owner: 1), ConnectionMemory(account, owner: 1))
      one.unsent = Limits.perOwner
      one.unsent -= 1
      #expect(told == 0, "nobody had been told")
      one.unsent += 1
      #expect(!two.hasRoom)
      one.unsent -= 1
      one.unsent -= 1
      #expect(told == 1)
      one.unsent += 2
      #expect(!two.hasRoom)
      one.close()
      #expect(told == 2 && two.hasRoom)
      one.unsent = 0
      one.events = 5 * Limits.perOwner
      #expect(two.hasRoom, "what is over is not counted")
    }
  }

  @Test("a key derivation waits until clients use little memory, and then blocks further use")
  func derivation() async throws {
    try await TestLoop.run {
      let account = MemoryBudget(owners: 256)
      let greedy = (0..<3).map { ConnectionMemory(account, owner: UInt32($0)) }
      let late = ConnectionMemory(account, owner: 9)
      for share in greedy { share.unsent = Limits.perOwner - 1 }
      greedy[2].unsent = Limits.commonBesideDerivation
      late.lines = Limits.mostGuaranteed
      #expect(late.hasRoom)
      var (begun, told) = (0, 0)
      account.onRoom = { told += 1 }
      account.reserveDerivationMemory { begun += 1 }
      #expect(account.isDerivationWaiting && !late.hasRoom && !late.hasRoomForEvents)
      greedy[0].unsent = 0
      await TestLoop.settle()
      #expect(begun == 0 && told == 1)
      greedy[1].unsent = 0
      #expect(begun == 0, "not within what gave the memory back")
      try await EventLoop.sleep(for: .milliseconds(1))
      #expect(begun == 1 && !account.isDerivationWaiting)
      greedy[1].lines = 3 * Limits.mostGuaranteed
      #expect(!greedy[1].hasRoom && !late.hasRoom)
      late.lines -= 1
      #expect(late.hasRoom, "what is guaranteed is")
      late.lines += 1
      #expect(!late.hasRoom)
      told = 0
      account.releaseDerivationMemory()
      #expect(told == 1 && late.hasRoom && late.hasRoomForEvents)
      // With enough memory the derivation starts at once.
      greedy[2].unsent = 0
      account.reserveDerivationMemory { begun += 1 }
      #expect(begun == 2)
      // Memory that clients never release does not delay the derivation forever.
      greedy[1].lines = Limits.perOwner
      account.reserveDerivationMemory { begun += 1 }
      #expect(begun == 2 && account.isDerivationWaiting)
      account.derive()
      account.derive()
      #expect(begun == 3 && !account.isDerivationWaiting)
    }
  }
}
