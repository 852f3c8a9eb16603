import Accounts
import Configuration
import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import Journal
import TestLoop
import TestNetwork
import TestPlatform
import Testing
import Time
import WebAddress

@testable import SelfService

/// A tenant that answers each request as the test defines.
@Suite("self-service against a hostile tenant")
struct HostileTenantTests {
  /// Outcome of adding a device, the remaining accounts and the requests that the tenant received.
  private struct End: Sendable {
    let outcome: DeviceOutcome
    let accounts: [Account]
    let asked: [String]
  }

  private static func add(
    _ answer: @escaping @EventLoop @Sendable (CourierRequest) -> CourierResponse
  ) async throws -> End {
    try await TestLoop.run {
      let bench = try TenantBench()
      bench.answer = { request throws(CourierFailure) in answer(request) }
      let outcome = try await bench.signOn(DeviceOrders(add: [.totp], lists: true))
      return End(outcome: outcome, accounts: try bench.accounts, asked: bench.asked)
    }
  }

  @Test(
    "an invalid device list ends the order before a device is created",
    arguments: [
      Array("not JSON".utf8), Array("[]".utf8), Array("{}".utf8), Array(#"{"_embedded":7}"#.utf8),
      Array(#"{"_embedded":{"devices":{}}}"#.utf8), [],
      Array(String(repeating: "[", count: 100_000).utf8),
      Array(#"{"_embedded":{"devices":[]},"x":"\#(String(repeating: "x", count: 300_000))"}"#.utf8),
      Array(
        #"{"_embedded":{"devices":[\#(Array(repeating: "{}", count: 65).joined(separator: ","))]}}"#.utf8
      ),
    ]
  )
  func list(body: [UInt8]) async throws {
    let end = try await Self.add { _ in CourierResponse(status: 200, headers: [], body: body) }
    #expect(end.outcome.problems.map(\.subject) == ["TOTP", "list"])
    #expect(end.outcome.problems.allSatisfy { $0.code == RPCError.serverError.code })
    #expect(end.asked == ["GET \(TenantBench.base)"] && end.accounts.isEmpty)
  }

  @Test("a device is ignored if its id is not a valid path component")
  func names() async throws {
    let devices: JSON = [
      ["id": "../../x", "type": "TOTP"], ["id": "a?b", "type": "TOTP"], ["type": "TOTP"], ["id": "d-1"], 7,
      ["id": "d-2", "type": "MOBILE\u{202E}", "nickname": "\u{1B}[2J", "createdAt": "never", "status": 7],
    ]
    let end = try await Self.add { request in
      request.method == .get
        ? CourierResponse.json(200, ["_embedded": ["devices": devices]]) : CourierResponse.json(400, [:])
    }
    let listed = try #require(end.outcome.list)
    #expect(listed.map(\.id) == ["d-2"] && listed[0].type == "MOBILE" && listed[0].status.isEmpty)
    #expect(listed[0].nickname.map { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } } ?? true)
  }

  @Test("each refused order is reported and leaves no account", arguments: 400..<430)
  func refusals(status: Int) async throws {
    let end = try await Self.add { request in
      request.method == .get
        ? CourierResponse.json(200, ["_embedded": ["devices": []]])
        : CourierResponse.json(status, ["code": 7, "details": [7, ["code": "X", "target": ["otp"]]]])
    }
    #expect(end.outcome.problems.map(\.subject) == ["TOTP"] && end.accounts.isEmpty)
    #expect(!end.asked.contains { $0.hasPrefix("DELETE") })
  }

  @Test("a device that the tenant lists twice counts once, and links are not followed")
  func links() async throws {
    let made: JSON = [
      "id": "d-1", "status": "ACTIVATION_REQUIRED", "secret": "2ZHHQO4EP3TF3C7OIU6G2WI2XLQDU6UR",
      "_links": ["device.activate": ["href": "https://elsewhere.example/devices/d-1"]],
    ]
    let end = try await Self.add { request in
      guard request.method == .post else { return CourierResponse.json(200, ["_embedded": ["devices": []]]) }
      return request.url.text == TenantBench.base
        ? CourierResponse.json(201, made) : CourierResponse.json(200, ["status": "ACTIVE"])
    }
    #expect(end.outcome.added.count == 1)
    #expect(
      end.asked == ["GET", "POST"].map { "\($0) \(TenantBench.base)" } + [
        "POST \(TenantBench.base)/d-1", "GET \(TenantBench.base)",
      ]
    )
  }

  @Test("a device without the requested status is rejected and deleted")
  func status() async throws {
    let made: JSON = [
      "id": "d-1", "status": "ACTIVATION_REQUIRED", "secret": "2ZHHQO4EP3TF3C7OIU6G2WI2XLQDU6UR",
    ]
    let end = try await Self.add { request in
      switch request.method {
      case .get: CourierResponse.json(200, ["_embedded": ["devices": []]])
      case .delete: CourierResponse.json(204, [:])
      default:
        request.url.text == TenantBench.base
          ? CourierResponse.json(201, made) : CourierResponse.json(200, ["status": "PENDING"])
      }
    }
    #expect(end.outcome.problems.map(\.code) == [RPCError.passcodeNotVerified.code] && end.accounts.isEmpty)
    #expect(end.asked.contains("DELETE \(TenantBench.base)/d-1"))
  }
}
