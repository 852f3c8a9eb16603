import Accounts
import Configuration
import ControlAPI
import CourierProtocol
import EventLoop
import Glibc
import JSON
import Journal
import SQLite
import TestNetwork
import TestPlatform
import Testing
import Time
import UserDevices
import Vault
import WebAddress

@testable import SelfService

/// The services of mfad with a tenant that answers each request as the test defines.
@EventLoop
final class TenantBench {
  nonisolated static let owner: uid_t = 1000
  nonisolated static let base = "https://api.pingone.eu/v1/environments/e-1/users/u-1/devices"
  private nonisolated static let issuer = "https://auth.pingone.eu/e-1/as"

  let clock = TestClock()
  let life: Life
  var answer: @EventLoop (CourierRequest) throws(CourierFailure) -> CourierResponse = {
    _ throws(CourierFailure) in throw .unreachable
  }
  /// Requests that the tenant received, as method and URL.
  private(set) var asked: [String] = []
  private(set) var events: [(topic: EventTopic, payload: JSON)] = []
  private let directory: TestDirectory
  private let configuration: Configuration
  private var service: SelfService?

  init() throws {
    Journal.level = .error
    directory = try TestDirectory()
    configuration = try Configuration(parsing: "issuer = \(Self.issuer)", file: "mfad.conf")
    life = try Life(
      directory: directory.path + "/state",
      configuration: configuration,
      exchange: { _ throws(CourierFailure) in throw .unreachable },
      time: clock.source,
      posture: { [:] }
    )
    service = SelfService(
      life.core,
      accounts: TOTPAccounts(accounts: life.accounts, passcodes: life.passcodes),
      exchange: { [unowned self] request throws(CourierFailure) in
        // Like the courier, commits earlier changes first.
        do { try await life.vault.committed() } catch { throw .cancelled }
        asked.append("\(request.method.rawValue) \(request.url.text)")
        return try answer(request)
      },
      machine: "host"
    )
    _ = life.events.subscribe(owner: Self.owner, topics: []) { [unowned self] in events.append(($0, $1.json))
    }
  }

  /// Carries out the orders in a sign-on of the user and returns their outcome.
  func signOn(_ orders: DeviceOrders) async throws -> DeviceOutcome {
    let grant = TokenGrant(
      owner: Self.owner,
      user: User(id: "u-1", username: "ann"),
      issuer: Self.issuer,
      tenant: try #require(configuration.tenant(of: Self.issuer)),
      namedEnvironment: "e-1",
      accessToken: "token",
      scope: nil,
      asked: orders.scopes,
      isOver: { false }
    )
    let service = try #require(service)
    return await service.carryOut(orders, grant).outcome
  }

  var accounts: [Account] { get throws { try life.accounts.list(of: Self.owner) } }

  /// Makes the commit at the end of this loop iteration fail.
  func breakTurn() { try? life.vault.breakTurn() }
}

extension CourierResponse {
  static func json(_ status: Int, _ body: JSON, _ headers: [CourierHeader] = []) -> CourierResponse {
    CourierResponse(status: status, headers: headers, body: body.serialized)
  }

  static func devices(_ devices: JSON...) -> CourierResponse {
    .json(200, ["_embedded": ["devices": .array(devices)]])
  }
}
