import EventLoop
import Glibc
import JSON
import Sandbox
import Testing
import Time

@Suite("data file", .timeLimit(.minutes(30)))
struct ArchiveTests {
  /// Runs a test with the path of a file that does not exist yet.
  private func withFile(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/sandbox-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
    #expect(mkdtemp(&template) != nil)
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in ["data", "data-wal", "data-shm"] { unlink("\(directory)/\(name)") }
      rmdir(directory)
    }
    try await body("\(directory)/data")
  }

  @Test("a restarted sandbox restores its state")
  func restart() async throws {
    try await withFile { path in
      let kept = Kept()
      // Requests must not expire on a slow machine.
      let begun = TimeSource.system.now()
      let time = TimeSource(now: { begun }, uptime: TimeSource.system.uptime)
      try await Bench.run(data: path, time: time) { bench in
        let device = try await bench.pairedDevice("ann", "bob")
        _ = try await device.call("PUT", "/users/\(try bench.user("ann").id)/nickname", ["nickname": "desk"])
        try await bench.advance(seconds: 5)
        kept.started = try await bench.startAuthentication(
          of: "ann",
          ["notification": ["clientContext": ["a": 1]]]
        )
        kept.push = try await device.poll().pushes.first
        kept.cursor = try await device.poll().answer.body["cursor"]?.string
        kept.key = try await bench.pairingKey(for: "bob").code
        kept.info = try await device.call("GET", "/info", bends: kept.bends).body
        kept.code = try await bench.send(
          "POST",
          "/ENV/authenticationCodes",
          ["application": ["id": bench.about["application"] ?? .null]]
        ).body["code"]?.string
        kept.keys = try await bench.send("GET", "/ENV/as/jwks").body
        kept.device = device
        kept.about = bench.about
      }
      try await Bench.run(data: path, time: time) { bench in
        for name in ["environment", "clientId", "platformKey", "adminToken", "users"] {
          #expect(bench.about[name] == kept.about?[name])
        }
        let keys = try await bench.send("GET", "/ENV/as/jwks")
        #expect(keys.body == kept.keys)
        var device = try #require(kept.device)
        device.bench = bench
        let info = try await device.call("GET", "/info")
        #expect(info.body == kept.info)
        let after = try await device.poll(after: kept.cursor)
        #expect(after.answer.status == 200 && after.pushes.isEmpty)
        let approved = try await device.answer(try #require(kept.push), "approve")
        #expect(approved.body["status"] == "approved")
        let completed = try await bench.authentication(try #require(kept.started))
        #expect(completed.body["status"] == "COMPLETED")
        #expect(completed.body["notification"]?["clientContext"] == ["a": 1])
        let claimed = try await device.call("POST", "/authentication-codes/\(kept.code ?? "")/claim")
        #expect(claimed.body["status"] == "CLAIMED")
        let begun = try await device.call("POST", "/pairings", ["pairingKey": .string(kept.key ?? "")])
        #expect(begun.status == 201)
      }
    }
  }

  @Test("a file of a running sandbox, or of another program, is rejected")
  func refusedFiles() async throws {
    try await withFile { path in
      try await Bench.run(data: path) { _ in
        #expect(throws: (any Error).self) { try SandboxServer(data: path).stop() }
      }
    }
    try await withFile { path in
      let file = try #require(fopen(path, "w"))
      fputs("this is no database, and long enough to be taken for one\n", file)
      fclose(file)
      await #expect(throws: (any Error).self) { try await Bench.run(data: path) { _ in } }
    }
  }
}

/// Values that a test keeps from the first sandbox.
@EventLoop
private final class Kept: Sendable {
  nonisolated init() {}

  let bends = TestDevice.Bends()
  var about: JSON?
  var device: TestDevice?
  var started: Answer?
  var push: JSONObject?
  var cursor: String?
  var key: String?
  var info: JSON?
  var code: String?
  var keys: JSON?
}
