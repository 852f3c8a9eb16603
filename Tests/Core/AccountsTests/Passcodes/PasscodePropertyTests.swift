import ControlAPI
import EventLoop
import Fixtures
import Interleaving
import JSONRPC
import OATH
import OpenSSL
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time

@testable import Accounts

/// A TOTP account and the passcodes that it has shown.
@EventLoop
private final class PasscodeScenario: Scenario {
  private let bench: Bench
  var numbers: SeededNumbers
  private let account: String
  private let period: Int
  private let totp: TOTP
  private var shown: [Int: String] = [:]
  var story: [String]

  init(_ seed: UInt64, on bench: Bench) async throws {
    self.bench = bench
    var numbers = SeededNumbers(seed)
    period = Int.random(in: 15...120, using: &numbers)
    let digits = Int.random(in: 6...8, using: &numbers)
    let algorithm = HashAlgorithm.allCases.randomElement(using: &numbers) ?? .sha1
    let secret = (0..<Int.random(in: 16...64, using: &numbers)).map { _ in
      UInt8.random(in: 0...255, using: &numbers)
    }
    story = ["seed \(seed): \(algorithm), \(digits) digits, \(period) s"]
    totp = TOTP(secret: Secret(copying: secret), algorithm: algorithm, digits: digits, period: period)
    self.numbers = numbers
    let record = try bench.accounts.insert(
      kind: .pingOne,
      owner: Bench.owner,
      state: .active,
      label: "u-\(seed)",
      identityKey: ["\(seed)"]
    )
    try bench.passcodes.insert(
      OATHSecret(
        secret: Secret(copying: secret),
        algorithm: algorithm,
        digits: digits,
        moving: .time(period: period)
      ),
      of: record
    )
    account = record.id
  }

  func run() async throws {
    for _ in 0..<Int.random(in: 20...60, using: &numbers) {
      try await step()
      try look()
    }
    #expect(try bench.accounts.table.delete(account, of: Bench.owner))
  }

  private func step() async throws {
    switch Int.random(in: 0..<20, using: &numbers) {
    case 0:
      // Any time from 1970 to the year 9999.
      let instant = Int64.random(in: 0...253_402_300_799_999, using: &numbers)
      story.append("the clock is set to \(instant) ms")
      bench.clock.set(Timestamp(milliseconds: instant))
    case 1, 2:
      let seconds = Int.random(in: -200...200, using: &numbers)
      story.append("the clock is set by \(seconds) s")
      bench.clock.set(max(bench.clock.now.adding(seconds: seconds), Timestamp(seconds: 0)))
    case 3:
      // The last millisecond of a window or the first of the next one.
      let edge = Int64((bench.clock.now.seconds / period + 1) * period) * 1000
      story.append("an edge")
      bench.clock.set(Timestamp(milliseconds: edge - Int64.random(in: 0...1, using: &numbers)))
    case 4:
      story.append("crash")
      try bench.crash()
    default:
      let milliseconds = Int.random(in: 1...40_000, using: &numbers)
      story.append("\(milliseconds) ms pass")
      await bench.pass(.milliseconds(milliseconds))
    }
  }

  private func look() throws {
    let account: Comment = "\(story.joined(separator: "; "))"
    let now = bench.clock.now.seconds
    let one = try bench.passcode(of: self.account, next: true, owner: Bench.owner)
    let again = try bench.passcode(of: self.account, next: false, owner: Bench.owner)
    #expect(one.current == again.current && again.next == nil && one.remaining == again.remaining, account)
    #expect(one.period == period && one.current.validFrom % period == 0, account)
    #expect(one.current.validUntil - one.current.validFrom == period, account)
    #expect((one.current.validFrom..<one.current.validUntil).contains(now), account)
    #expect(one.remaining == one.current.validUntil - now && (1...period).contains(one.remaining), account)
    let next = try #require(one.next, account)
    #expect(next.validFrom == one.current.validUntil && next.validUntil == next.validFrom + period, account)
    for window in [one.current, next] {
      // A window always shows the same passcode, as current or as next.
      #expect(shown[window.validFrom] ?? window.passcode == window.passcode, account)
      shown[window.validFrom] = window.passcode
      #expect(try totp.passcode(window: window.validFrom / period) == window.passcode, account)
    }
  }
}

@Suite("Passcode properties", .timeLimit(.minutes(Seeds.scaled(30))))
struct PasscodePropertyTests {
  @Test("every instant has one passcode with its window, and next becomes current", arguments: 0..<4)
  func properties(block: Int) async throws {
    try await PasscodeScenario.play(block: block, of: 50) {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      return bench
    }
  }
}
