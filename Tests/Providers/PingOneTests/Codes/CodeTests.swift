import ControlAPI
import EventLoop
import Interleaving
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@Suite("authentication codes", .timeLimit(.minutes(30)))
struct CodeTests {
  @Test("a code is claimed once and survives a restart")
  func claimed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let code = try await bench.startCode()
      #expect(bench.platform.calls.last == .claim("AB12CD34"))
      #expect(code.status == .claimed && code.clientContext == ["app": "desk"])
      #expect(try await bench.startCode().id == code.id)
      #expect(bench.events.filter { $0.topic == .authentication }.count == 1)
      try bench.crash()
      #expect(try bench.codes.list(of: Bench.owner).map(\.json) == [code.json])
      #expect(try bench.codes.list(of: 7).isEmpty)
    }
  }

  @Test("an unpaired owner or a malformed code sends no claim")
  func refused() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      await #expect(throws: RPCError.notPaired) { try await bench.startCode() }
      try await bench.pair()
      await #expect(throws: RPCError.authenticationCode) {
        try await bench.codes.start("AB12CD3!", owner: Bench.owner)
      }
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.authenticationCode) }
      await #expect(throws: RPCError.authenticationCode) { try await bench.startCode() }
      #expect(try bench.codes.list(of: Bench.owner).isEmpty)
    }
  }

  @Test("a code without approval is still claimed first, unless require_approval is off")
  func approval() async throws {
    for (line, status) in [("", .claimed), ("\nrequire_approval = no", .completed)]
      as [(String, AuthenticationObject.Status)]
    {
      try await TestLoop.run {
        let bench = try Bench(configuration: Bench.configuration + line)
        try await bench.pair()
        bench.platform.code.status = .completed
        bench.platform.code.userApproval = "NOT_REQUIRED"
        #expect(try await bench.startCode().status == status)
      }
    }
  }

  @Test("a decision names its user, and the user may be omitted if there is only one")
  func users() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let first = try await bench.startCode().id
      await #expect(throws: RPCError.invalidParameter("userId")) {
        try await bench.approveCode(first, user: "u-9")
      }
      #expect(try await bench.approveCode(first) == .completed)
      #expect(
        bench.platform.decisions.map(\.claims) == [
          [
            "decision": "approve", "requestId": "r-1", "userId": "u-1", "device": "d-1000",
            "iat": .int(bench.clock.now.seconds),
          ]
        ]
      )

      bench.platform.code = TestPlatform.Code(users: [User(id: "u-1"), User(id: "u-2")], request: "r-2")
      let second = try await bench.startCode().id
      await #expect(throws: RPCError.invalidParameter("userId")) { try await bench.approveCode(second) }
      #expect(try await bench.approveCode(second, user: "u-2") == .completed)

      bench.platform.code = TestPlatform.Code(users: [User(id: "u-1"), User(id: "u-2")], request: "r-3")
      let third = try await bench.startCode().id
      await #expect(throws: RPCError.invalidParameter("userId")) {
        try await bench.denyCode(third, user: "u-9")
      }
      #expect(try await bench.denyCode(third) == .denied)
    }
  }

  @Test("a code of another owner, an expired one and a decided one cannot be decided")
  func closed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.pair(7)
      let code = try await bench.startCode().id
      await #expect(throws: RPCError.noSuch("authentication code")) {
        try await bench.codes.approve(code, user: nil, owner: 7)
      }
      #expect(try await bench.denyCode(code) == .denied)
      await #expect(throws: RPCError.alreadyAnswered(state: "DENIED")) { try await bench.approveCode(code) }

      bench.platform.code = TestPlatform.Code(request: "r-2")
      let late = try await bench.startCode().id
      bench.clock.pass(.seconds(120))
      await #expect(throws: RPCError.expired) { try await bench.approveCode(late) }
      #expect(try bench.codes.list(of: Bench.owner).first?.status == .expired)
    }
  }

  @Test("a decision without a response survives a crash, and only the same one can be repeated")
  func unheard() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let code = try await bench.startCode().id
      for moment in [TestPlatform.Moment.request, .reply] {
        bench.platform.weather = { (_, when) throws(PlatformError) in
          if when == moment { throw .outOfReach }
        }
        await #expect(throws: PlatformError.outOfReach) { try await bench.approveCode(code) }
        await #expect(throws: RPCError.alreadyAnswered(state: "CLAIMED")) { try await bench.denyCode(code) }
        try bench.crash()
      }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await #expect(throws: RPCError.alreadyAnswered(state: "CLAIMED")) { try await bench.denyCode(code) }
      #expect(try await bench.approveCode(code) == .completed)
      #expect(bench.platform.decisions.allSatisfy { $0.claims["decision"] == "approve" })
    }
  }

  @Test("a decision that the platform refuses is reverted")
  func takenBack() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let code = try await bench.startCode().id
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.failedPolicy) }
      await #expect(throws: RPCError.failedPolicy) { try await bench.approveCode(code) }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      #expect(try await bench.denyCode(code) == .denied)
    }
  }

  @Test("the response to a claim is discarded if its owner was erased meanwhile")
  func erased() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform) { call, moment in call == .claim("AB12CD34") && moment == .reply }
      let claim = EventLoop.task { try await bench.startCode() }
      await settle()
      try await bench.owners.erase(Bench.owner)
      try await bench.pair()
      while !gate.held.isEmpty { await gate.release() }
      await #expect(throws: RPCError.noSuch("device")) { try await claim.value }
      #expect(try bench.codes.list(of: Bench.owner).isEmpty)
    }
  }

  @Test("only the first one of two concurrent decisions is sent")
  func atOnce() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let code = try await bench.startCode().id
      let gate = Gate(bench.platform) { call, moment in call == .answerCode("r-1") && moment == .request }
      let approval = EventLoop.task { try await bench.approveCode(code) }
      await settle()
      await #expect(throws: RPCError.alreadyAnswered(state: "CLAIMED")) { try await bench.denyCode(code) }
      let again = EventLoop.task { try await bench.approveCode(code) }
      await settle()
      while !gate.held.isEmpty { await gate.release() }
      #expect(try await approval.value == .completed)
      #expect(try await again.value == .completed)
    }
  }

  @Test("a decision made on another device is taken from the platform's response")
  func elsewhere() async throws {
    let cases: [(outcome: AuthenticationObject.Status, error: RPCError?)] = [
      (.denied, .alreadyAnswered(state: "DENIED")), (.expired, nil), (.completed, nil),
    ]
    for (outcome, error) in cases {
      try await TestLoop.run {
        let bench = try Bench()
        try await bench.pair()
        let code = try await bench.startCode().id
        bench.platform.code.outcome = outcome
        if let error {
          await #expect(throws: error, "\(outcome)") { try await bench.approveCode(code) }
        } else {
          #expect(try await bench.approveCode(code) == outcome)
        }
        #expect(
          try bench.codes.list(of: Bench.owner).first?.status == outcome,
          "\(outcome)"
        )
      }
    }
  }
}
