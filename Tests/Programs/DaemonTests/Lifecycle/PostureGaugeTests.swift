import EventLoop
import Glibc
import JSON
import Machine
import Synchronization
import TestLoop
import TestNetwork
import Testing
import Time

@testable import Daemon

@Suite("machine posture")
struct PostureGaugeTests {
  /// A clock that a test moves.
  private final class Clock: Sendable {
    private let uptime = Mutex(Duration.seconds(1000))

    var source: TimeSource {
      TimeSource(now: { Timestamp(seconds: 1_800_000_000) }, uptime: { self.uptime.withLock(\.self) })
    }

    func pass(_ duration: Duration) { uptime.withLock { $0 += duration } }
  }

  @Test("a measurement is cached for one minute")
  func life() async throws {
    try await TestLoop.run {
      let (directory, clock) = (try TestDirectory(), Clock())
      _ = try directory.write("state", to: "mfad.db")
      let gauge = PostureGauge(
        stateDirectory: "/",
        time: clock.source,
        host: Host(root: directory.path)
      )
      #expect(gauge.posture["stateProtected"] == "yes")
      _ = try directory.write("state", to: "other", mode: 0o666)
      _ = try TestProgram.run(["chmod", "666", directory.path + "/other"])
      clock.pass(.seconds(59))
      #expect(gauge.posture["stateProtected"] == "yes")
      clock.pass(.seconds(1))
      #expect(gauge.posture["stateProtected"] == "no")
    }
  }

  @Test("every member exists with a value that the platform knows")
  func members() async throws {
    try await TestLoop.run {
      let posture = PostureGauge(stateDirectory: ".", time: Clock().source).posture
      let words: [String: Set<String>] = [
        "secureBoot": ["enabled", "disabled", "unknown"],
        "diskEncryption": ["enabled", "disabled", "unknown"],
        "kernelLockdown": ["none", "integrity", "confidentiality", "unknown"],
        "programProtected": ["yes", "no", "unknown"], "stateProtected": ["yes", "no", "unknown"],
      ]
      #expect(Set(posture.object?.names ?? []) == Set(words.keys).union(["os"]))
      for (name, allowed) in words { #expect(allowed.contains(posture[name]?.string ?? "")) }
      #expect(posture["os"]?.object?.names == ["id", "version", "kernel"])
    }
  }

  @Test("a relative state directory is resolved against the working directory")
  func relative() async throws {
    try await TestLoop.run {
      let path = try #require(getcwd(nil, 0).map { String(cString: $0) })
      let relative = PostureGauge(stateDirectory: ".", time: Clock().source).posture
      #expect(relative == PostureGauge(stateDirectory: path, time: Clock().source).posture)
      #expect(relative["stateProtected"] != "unknown")
    }
  }
}
