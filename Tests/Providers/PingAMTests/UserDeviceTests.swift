import AMEnrolments
import Accounts
import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import TestPlatform
import Testing
import Time
import UserDevices
import Vault
import WebAddress

@testable import PingAM

/// A realm that answers each request as the test defines.
@Suite("devices of a user at PingAM", .timeLimit(.minutes(30)))
struct UserDeviceTests {
  private static let base = "https://am.example/am/json/realms/root/users/bob/devices/2fa"

  /// Carries out the orders and returns their outcome.
  ///
  /// `answer` replies to requests below the user's devices.
  @EventLoop
  private static func carryOut(
    _ orders: DeviceOrders,
    _ bench: AMBench,
    username: JSON = "bob",
    _ answer: @escaping @EventLoop (CourierRequest) -> CourierResponse
  ) async throws -> DeviceOutcome {
    let service = AMDeviceService(accounts: bench.life.am)
    let session = SessionGrant(
      owner: AMBench.owner,
      realm: try #require(WebURL("https://am.example/am/json/realms/root")),
      field: CourierHeader("session", "token"),
      send: { request in
        guard request.url.path.hasSuffix("/sessions") else { return answer(request) }
        return response(["username": username])
      },
      isOver: { false }
    )
    async let done = service.carryOut(orders, session).outcome
    try bench.life.vault.commit()
    return await done
  }

  private static func response(_ body: JSON, _ status: Int = 200) -> CourierResponse {
    CourierResponse(status: status, headers: [], body: body.serialized)
  }

  @Test("device names are cleaned, and devices without a valid id are not listed")
  func names() async throws {
    try await AMBench.run { bench in
      let devices: JSON = [
        ["uuid": "../x"], ["uuid": ".."], ["uuid": "a?b"], [:], 7, ["uuid": 7, "deviceName": "x"],
        ["_id": "d-1", "deviceName": "\u{1B}[2J\u{202E}phone", "createdDate": .int(.max)],
        ["uuid": "d-2", "deviceName": 7, "createdDate": -1],
        ["uuid": "d-3", "createdDate": 1_629_261_902_660],
      ]
      let outcome = try await Self.carryOut(DeviceOrders(lists: true), bench) { request in
        request.url.path.hasSuffix("/push") ? Self.response(["result": devices]) : Self.response([:], 404)
      }
      let listed = try #require(outcome.list)
      #expect(listed.map(\.id) == ["d-1", "d-2", "d-3"] && listed.allSatisfy { $0.type == "PUSH" })
      #expect(listed.map(\.nickname) == ["[2Jphone", nil, nil])
      #expect(listed.map { $0.createdAt?.seconds } == [nil, nil, 1_629_261_902])
    }
  }

  @Test(
    "a user name that is not a valid path component is rejected",
    arguments: ["", ".", "..", 7, nil] as [JSON?]
  )
  func users(name: JSON?) async throws {
    try await AMBench.run { bench in
      let orders = DeviceOrders(lists: true)
      let outcome = try await Self.carryOut(orders, bench, username: name ?? .null) { _ in
        Issue.record("nothing more is asked")
        return Self.response([:])
      }
      #expect(outcome.problems.map(\.code) == [RPCError.serverError.code])
    }
  }

  @Test("a user name is percent-encoded as one path component")
  func escaping() async throws {
    try await AMBench.run { bench in
      var asked: [String] = []
      _ = try await Self.carryOut(DeviceOrders(lists: true), bench, username: "a/../b ?ü") { request in
        asked.append(request.url.text)
        return Self.response(["result": []])
      }
      let base = "https://am.example/am/json/realms/root/users/a%2F..%2Fb%20%3F%C3%BC/devices/2fa"
      #expect(asked.first == base + "/push?_queryFilter=true")
    }
  }

  @Test("an invalid device list ends the order before any change")
  func lists() async throws {
    let many = Array(repeating: "{}", count: 65).joined(separator: ",")
    let long = String(repeating: "x", count: 300_000)
    try await AMBench.run { bench in
      for body in [
        "[]", "{}", "x", #"{"result":{}}"#, #"{"result":[\#(many)]}"#, #"{"result":[],"x":"\#(long)"}"#,
      ] {
        let orders = DeviceOrders(remove: ["d-1"], confirm: ["d-1"])
        let outcome = try await Self.carryOut(orders, bench) { request in
          #expect(request.method == .get)
          return CourierResponse(status: 200, headers: [], body: Array(body.utf8))
        }
        #expect(outcome.problems.map(\.code) == [RPCError.serverError.code] && outcome.removed.isEmpty)
      }
    }
  }

  @Test("a locked account is not renamed at the server either")
  func closed() async throws {
    try await AMBench.run { bench in
      let policies = AMSample.encoded(#"{"biometricAvailable":{}}"#)
      let account = try await bench.enrol(
        AMSample.uri(["policies": policies, "pid": AMSample.encoded("d-1")])
      )
      bench.facts.hasBiometrics = false
      let renaming = DeviceOrders.Renaming(account: account.id, nickname: "laptop")
      let outcome = try await Self.carryOut(DeviceOrders(rename: renaming), bench) { request in
        #expect(request.method == .get)
        return Self.response(["result": request.url.path.hasSuffix("/push") ? [["uuid": "d-1"]] : []])
      }
      #expect(
        outcome.problems.map(\.code) == [
          RPCError.accountLocked(AccountLock(policy: "x", expiresAt: nil)).code
        ]
      )
    }
  }

  @Test("a device matches by kind, server and id, and a passcode account only by its account id")
  func matching() async throws {
    try await AMBench.run { bench in
      let push = try await bench.enrol(AMSample.uri(["pid": AMSample.encoded("d-1")]))
      let secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
      let oath = "otpauth://totp/Other:bob?secret=\(secret)&issuer=Other&oid=\(AMSample.encoded("d-2"))"
      let passcodes = try await bench.enrol(oath)
      func listed(_ kind: String, _ id: String, for orders: DeviceOrders) async throws -> DeviceOutcome {
        try await Self.carryOut(orders, bench) { request in
          let isKind = request.url.path.hasSuffix("/\(kind)")
          return Self.response(
            request.method == .get ? ["result": isKind ? [["uuid": .string(id)]] : []] : [:]
          )
        }
      }
      // Another kind is another device.
      #expect(try await listed("webauthn", "d-1", for: DeviceOrders(remove: [push.id])).problems.count == 1)
      #expect(try await listed("push", "d-2", for: DeviceOrders(remove: [passcodes.id])).problems.count == 1)
      // The server at which passcodes were enrolled is unknown.
      let stranger = DeviceOrders(remove: ["d-2"])
      #expect(
        try await listed("oath", "d-2", for: stranger).problems.map(\.code) == [RPCError.invalidParams.code]
      )
      #expect(try bench.life.accounts.list(of: AMBench.owner).count == 2)
      #expect(
        try await listed("oath", "d-2", for: DeviceOrders(remove: [passcodes.id])).removed == [passcodes.id]
      )
      #expect(try await listed("push", "d-1", for: DeviceOrders(remove: ["d-1"])).removed == ["d-1"])
    }
  }

  @Test("a removal that fails for the second device is completed by the next order")
  func halves() async throws {
    try await AMBench.run { bench in
      let ids = ["pid": AMSample.encoded("d-1"), "oid": AMSample.encoded("d-2")]
      let account = try await bench.enrol(AMSample.combined(ids))
      var (there, isBroken) = (["d-1", "d-2"], true)
      for _ in 1...2 {
        let outcome = try await Self.carryOut(DeviceOrders(remove: [account.id]), bench) { request in
          let id = String(request.url.path.split(separator: "/").last ?? "")
          guard request.method == .delete else {
            let own = id == "push" ? "d-1" : id == "oath" ? "d-2" : ""
            return Self.response(["result": there.contains(own) ? [["uuid": .string(own)]] : []])
          }
          guard !isBroken || id == "d-1" else { return Self.response([:], 503) }
          there.removeAll { $0 == id }
          return Self.response([:])
        }
        #expect(outcome.problems.isEmpty != isBroken && outcome.removed.isEmpty == isBroken)
        let left = try bench.life.accounts.list(of: AMBench.owner)
        #expect(left.isEmpty != isBroken)
        isBroken = false
      }
      #expect(there.isEmpty)
    }
  }

  @Test(
    "an interrupted removal is completed by the same user's next order, not by another user"
  )
  func brokenOff() async throws {
    try await AMBench.run { bench in
      let account = try await bench.enrol(AMSample.uri(["pid": AMSample.encoded("d-1")]))
      let orders = DeviceOrders(remove: [account.id])
      var isThere = true
      for user in ["bob", "eve", "bob"] as [JSON] {
        let outcome = try await Self.carryOut(orders, bench, username: user) { request in
          guard request.method == .get else {
            isThere = false
            return Self.response([:], 503)
          }
          let isListed = isThere && request.url.path.hasSuffix("/push")
          return Self.response(["result": isListed ? [["uuid": "d-1"]] : []])
        }
        let isLeft = try !bench.life.accounts.list(of: AMBench.owner).isEmpty
        #expect(outcome.removed == (isLeft ? [] : [account.id]) && outcome.problems.isEmpty != isLeft)
        // An order of another user does not complete the removal.
        #expect(user == "bob" || outcome.problems.map(\.code) == [RPCError.notFound.code])
        if isLeft { try bench.crash() }
      }
      #expect(try bench.life.accounts.list(of: AMBench.owner).isEmpty)
    }
  }
}
