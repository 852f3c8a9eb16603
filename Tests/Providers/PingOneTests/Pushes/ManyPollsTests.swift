import Configuration
import ControlAPI
import CourierProtocol
import EventLoop
import Glibc
import OpenSSL
import TestLoop
import TestPlatform
import Testing
import Time
import WebAddress

@testable import PingOne

@Suite("polls at the limit of identities", .timeLimit(.minutes(30)))
struct ManyPollsTests {
  private static let groups = 16

  private static func identity(_ number: Int, _ device: String = "device", cursor: String? = nil) throws
    -> Identity
  {
    Identity(
      id: "identity-\(number)",
      owner: uid_t(10_000 + number),
      geography: .europe,
      url: try url(),
      isPrimary: true,
      keyID: "key",
      nextKeyID: nil,
      keysMadeAt: Timestamp(seconds: 0),
      deviceID: device,
      issuers: [],
      isPushRegistered: false,
      cursor: cursor
    )
  }

  private static func url() throws -> WebURL { try #require(WebURL("https://platform.example/base")) }

  @Test(
    "a poll has at most 500 identities, and further ones share an additional poll"
  )
  func full() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let url = try Self.url()
      let most = Self.groups * DeviceService.mostPolled
      @EventLoop func counts() -> [Int] { bench.poller.groups[url, default: []].map { $0.members.count } }
      for number in 0..<most { bench.poller.start(try Self.identity(number)) }
      #expect(counts() == Array(repeating: DeviceService.mostPolled, count: Self.groups))
      for added in 1...2 {
        bench.poller.start(try Self.identity(most + added))
        #expect(counts() == Array(repeating: DeviceService.mostPolled, count: Self.groups) + [added])
      }
      bench.poller.stopAll()
    }
  }

  @Test(
    "a poll of 500 identities with maximum ids and cursors fits a courier request"
  )
  func size() async throws {
    try await TestLoop.run {
      let test = try TestIdentity()
      var carried: [Int] = []
      let service = DeviceService(
        exchange: { request throws(CourierFailure) in
          carried.append(request.body.count)
          throw .cancelled
        },
        description: .desk,
        pinnedKeys: [],
        time: .system
      )
      let identity = try Self.identity(
        1,
        String(repeating: "d", count: 64),
        cursor: String(repeating: "c", count: 256)
      )
      let id = try DeviceProof.freshID()
      let poll = try Poll(of: identity, provenBy: test.keys.device, in: id)
      let polls = Array(repeating: poll, count: DeviceService.mostPolled)
      await #expect(throws: PlatformError.self) {
        try await service.poll(polls, provenBy: id, test.credentials, wait: Poller.pollSeconds)
      }
      let size = try #require(carried.first)
      #expect(size > DeviceService.mostPolled * 512 && size <= CourierLimits.maximumBody)
    }
  }
}
