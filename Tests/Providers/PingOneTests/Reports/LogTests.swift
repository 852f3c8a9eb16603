import ControlAPI
import EventLoop
import JSON
import JSONRPC
import Journal
import TestLoop
import TestPlatform
import Testing
import Time

@testable import PingOne

@Suite("support logs", .timeLimit(.minutes(30)))
struct LogTests {
  @Test("a report contains versions, settings and events, but no external data")
  func report() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.pairing.user = User(id: "canary-id", username: "canary-name", email: "canary@mail")
      try await bench.pair()
      try await bench.setToken(["provider": "FCM", "token": "canary-token"])
      let push: JSONObject = ["title": "canary-title", "body": "canary-body", "sub": "canary-id"]
      try bench.receive(push)
      #expect(throws: RPCError.self) { try bench.receive(["sub": "canary-nobody"]) }
      #expect(try await bench.logs.send(of: Bench.owner) == "support-1")
      let text = try #require(bench.platform.reports.first)
      // The journal belongs to the whole process, and other tests may have displaced its entries. See the
      // end-to-end tests.
      for line in [
        "mfad=9.8.7", "require_number=no", "accounts=1", "provider=FCM", "geo=NorthAmerica",
      ] {
        #expect(text.contains(line), "\(line)")
      }
      for secret in ["canary", "platform.example", "01ABCDEFGHJKMN", "/", "1000"] {
        #expect(!text.contains(secret), "\(secret)")
      }
    }
  }

  @Test("a report is limited to 32 KiB and keeps the newest entries")
  func bounds() {
    let entries = (0..<5000).map { number in
      JournalEntry(at: Timestamp(seconds: 0), .info, "a line that fills a report up", ["number": number])
    }
    let head = JournalEntry(at: Timestamp(seconds: 0), .info, "head")
    let text = LogReport(head: [head], entries).text
    #expect((30 * 1024...32 * 1024).contains(text.utf8.count))
    #expect(text.hasPrefix("1970-01-01T00:00:00Z info head\n") && text.hasSuffix("number=4999\n"))
  }

  @Test("a log request of the administrator is answered once, at the next contact")
  func request() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.areLogsRequested = true
      bench.reports.start()
      await settle()
      #expect(bench.platform.reports.count == 1)
      _ = try await bench.report()
      await settle()
      #expect(bench.platform.reports.count == 1)
    }
  }

  @Test("allow_log_requests disables log requests, and the owner can still send logs")
  func forbidden() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nallow_log_requests = no")
      try await bench.pair()
      bench.platform.areLogsRequested = true
      _ = try await bench.report()
      await settle()
      #expect(bench.platform.reports.isEmpty)
      #expect(try await bench.logs.send(of: Bench.owner) == "support-1")
    }
  }

  @Test("logs cannot be sent without a configured platform")
  func notConfigured() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      await #expect(throws: RPCError.notConfigured) {
        try await bench.logs.send(of: Bench.owner)
      }
    }
  }
}
