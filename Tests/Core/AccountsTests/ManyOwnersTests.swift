import ControlAPI
import EventLoop
import Glibc
import OpenSSL
import TestLoop
import TestPlatform
import Testing

@testable import Accounts
@testable import Vault

@Suite("Many owners", .timeLimit(.minutes(30)))
struct ManyOwnersTests {
  private static let owners: Range<uid_t> = 10_000..<20_000

  @Test(
    "10,000 owners get status and passcodes with bounded caches"
  )
  func tenThousand() async {
    // The locked memory must be large enough for the caches and belongs to the process.
    await #expect(processExitsWith: .success) { try await Self.play() }
  }

  private static func play() async throws {
    #expect(SecretMemory.lock(bytes: 512 * 1024))
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      for owner in Self.owners {
        let account = try bench.accounts.insert(
          kind: .pingOne,
          owner: owner,
          state: .active,
          label: "user \(owner)",
          identityKey: ["\(owner)"]
        )
        let oath = OATHSecret(
          secret: Secret(copying: Array("secret of \(owner)".utf8)),
          algorithm: .sha1,
          digits: 8,
          moving: .time(period: 30)
        )
        try bench.passcodes.insert(oath, of: account)
      }
      try bench.crash()
      let cache: OwnerCache<Int> = bench.vault.cache()
      var seen: Set<String> = []
      for owner in Self.owners {
        #expect(try bench.pairedCount(of: owner) == 1 && bench.pendingCount(of: owner) == 0)
        _ = cache.value(of: owner) { Int(owner) }
        #expect(cache.count <= 1024)
        guard owner.isMultiple(of: 4) else { continue }
        let passcode = try bench.passcode(owner: owner)
        #expect(passcode.current.passcode.count == 8)
        seen.insert(passcode.account)
        // A second call soon after gets the same passcode from the cache.
        #expect(try bench.passcode(owner: owner).current == passcode.current)
      }
      #expect(seen.count == 2500)
      #expect(SecretMemory.holdsAll)
      // OpenSSL has separate locked memory for its keys.
      for _ in 0..<100 { _ = try PrivateKey.generateP256() }
      #expect(try bench.owners.all().count == 10_000)
      #expect(bench.accounts.table.records.count <= 1024)
    }
  }
}
