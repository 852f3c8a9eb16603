import EventLoop
import TestLoop
import Testing

@testable import Daemon
@testable import Vault

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

  @Test("documents of sign-ons leave room for requests, and short ones always have room")
  func documents() async throws {
    try await TestLoop.run {
      let account = MemoryBudget(owners: 256)
      for owner: UInt32 in 1...4 {
        #expect(account.changeDocuments(by: Limits.withDocuments, of: owner))
        #expect(!account.changeDocuments(by: 1, of: owner))
        #expect(account.hasRoom(for: owner))
      }
      #expect(!account.changeDocuments(by: Limits.mostGuaranteed + 1, of: 5))
      #expect(account.changeDocuments(by: Limits.mostGuaranteed, of: 5))
      #expect(account.changeDocuments(by: -Limits.withDocuments, of: 1))
      #expect(account.changeDocuments(by: Limits.mostGuaranteed, of: 5))
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
}
