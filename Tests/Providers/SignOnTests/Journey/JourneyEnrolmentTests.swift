import Accounts
import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import OATHExports
import PingOne
import Testing
import Time
import Vault

@testable import SignOn

@Suite("enrolments in journeys", .timeLimit(.minutes(30)))
struct JourneyEnrolmentTests {
  private static func registration(_ id: String = "mfaDeviceRegistration", _ value: String) -> JSON {
    [
      "type": "HiddenValueCallback", "input": [["name": "IDToken2", "value": .string(id)]],
      "output": [["name": "value", "value": .string(value)], ["name": "id", "value": .string(id)]],
    ]
  }

  private static let uri = "pushauth://push/Acme:bob?m=REGISTER:1"

  /// Handles enrolments of a test and records their URIs.
  @EventLoop
  private final class Enrolled {
    var uris: [String] = []
    var error: RPCError?

    init(_ bench: JourneyBench) {
      bench.parts.enrolments.register(.pushauth) { [weak self] uri, owner in
        self?.uris.append("\(uri.label) \(owner)")
        if let error = self?.error { throw error }
        return Account(
          id: "a1",
          kind: .pushAM,
          label: uri.label,
          nickname: nil,
          authenticators: [],
          lock: nil,
          createdAt: TimeSource.system.now(),
          state: .active
        )
      }
    }
  }

  private static func actions(_ node: Node) -> [String] { node.page.actions.map(\.key) }

  @Test("a server's enrolment is an action that runs when the user chooses it")
  func offered() async throws {
    for (last, before, after) in [
      (Callbacks.name, ["submit", "enrol"], ["submit"]), (Callbacks.polling, ["enrol"], []),
    ] {
      try await JourneyBench.run([
        .step(Self.registration("mfaDeviceRegistration", Self.uri), last), .session,
      ]) { bench in
        let enrolled = Enrolled(bench)
        let node = try await bench.start()
        #expect(Self.actions(node) == before)
        #expect(enrolled.uris.isEmpty)
        await #expect(throws: RPCError.invalidParameter("values")) {
          try await bench.next(node, ["IDToken1": "ann"], action: "enrol")
        }
        let next = try await bench.next(node, action: "enrol")
        #expect(Self.actions(next) == after && next.outcome == .next)
        #expect(enrolled.uris == ["Acme:bob 1000"])
        // The action is offered once.
        await #expect(throws: RPCError.invalidParameter("action")) {
          try await bench.next(node, action: "enrol")
        }
        #expect(bench.plays.count == 1)
      }
    }
  }

  @Test("a failed enrolment keeps the step and leaves an audit entry")
  func failed() async throws {
    try await JourneyBench.run([.step(Self.registration("mfaDeviceRegistration", Self.uri), Callbacks.name)])
    { bench in
      let enrolled = Enrolled(bench)
      enrolled.error = .originRefused
      let node = try await bench.start()
      await #expect(throws: RPCError.originRefused) { try await bench.next(node, action: "enrol") }
      enrolled.error = nil
      let next = try await bench.next(node, action: "enrol")
      #expect(Self.actions(next) == ["submit"])
      let entries = try bench.parts.core.audit.entries(
        of: JourneyBench.owner,
        page: AuditList(parsing: nil).page
      )
      #expect(entries.map(\.method) == ["account.enrol", "account.enrol"])
      #expect(entries.map(\.outcome) == ["ok", "ORIGIN_REFUSED"] && entries.first?.target == "a1")
    }
  }

  @Test(
    "a hidden value without an enrolment URI is not offered",
    arguments: [("other", uri), ("mfaDeviceRegistration", "hello"), ("mfaDeviceRegistration", "")]
  )
  func others(id: String, value: String) async throws {
    try await JourneyBench.run([.step(Self.registration(id, value), Callbacks.name)]) { bench in
      let node = try await bench.start()
      #expect(Self.actions(node) == ["submit"])
      await #expect(throws: RPCError.invalidParameter("action")) {
        try await bench.next(node, action: "enrol")
      }
    }
  }
}
