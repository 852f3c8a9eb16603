import JSON
import Testing

@testable import Sandbox

@Suite("integrity and device requirements", .timeLimit(.minutes(30)))
struct IntegrityTests {
  private static let sound: JSON = [
    "os": ["id": "debian", "version": "12.4", "kernel": "6.1.0-18-amd64"], "secureBoot": "enabled",
    "diskEncryption": "enabled", "kernelLockdown": "integrity", "programProtected": "yes",
    "stateProtected": "yes",
  ]

  private static func posture(_ changes: JSONObject) -> JSON {
    var members = sound.object ?? [:]
    for member in changes.members { members[member.name] = member.value }
    return .object(members)
  }

  @Test("a posture, or its absence, has the verdict of its strictness")
  func verdict() throws {
    func verdict(
      _ changes: JSONObject?,
      _ strictness: IntegrityVerdict.Strictness = .restrictive,
      lately: Bool = false
    ) throws -> IntegrityVerdict {
      let posture = try changes.map { try ReportedPosture(Members(try #require(Self.posture($0).object))) }
      return IntegrityVerdict(posture, strictness: strictness, hasPassedLately: lately)
    }
    #expect(try verdict([:]) == .passed)
    #expect(try verdict(["secureBoot": "unknown", "diskEncryption": "disabled"]) == .passed)
    #expect(try verdict(["secureBoot": "disabled"], .permissive, lately: true) == .failed)
    #expect(try verdict(["programProtected": "no"]) == .failed)
    #expect(try verdict(["stateProtected": "no"]) == .failed)
    #expect(try verdict(nil) == .failed)
    #expect(try verdict(nil, .permissive) == .passed)
    #expect(try verdict(nil, lately: true) == .passed)
    #expect(throws: ErrorResponse.self) { try verdict(["secureBoot": "perhaps"]) }
    #expect(throws: ErrorResponse.self) { try verdict(["os": "debian"]) }
  }

  @Test("a device without proven integrity cannot approve, but can deny")
  func detection() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let detection: JSON = ["mode": "ENABLED", "cacheDuration": ["amount": 5, "units": "MINUTES"]]
      try await bench.setMobile(["integrityDetection": detection])
      try await bench.setRules(["integrityDetection": "restrictive"])
      func push() async throws -> JSONObject {
        _ = try await bench.startAuthentication(of: "ann")
        return try #require(try await device.poll().pushes.last)
      }
      let first = try await push()
      let silent = try await device.answer(first, "approve")
      #expect(silent.status == 403 && silent.code == "FAILED_POLICY_REQUIREMENTS")
      let broken = try await device.answer(
        first,
        "approve",
        posture: Self.posture(["secureBoot": "disabled"])
      )
      #expect(broken.status == 403 && broken.code == "FAILED_POLICY_REQUIREMENTS")
      let malformed = try await device.answer(first, "approve", posture: ["secureBoot": 1])
      #expect(malformed.status == 400)
      let sound = try await device.answer(first, "approve", posture: Self.sound)
      #expect(sound.body["status"] == "approved")
      // A good verdict is valid for five minutes.
      let cached = try await device.answer(try await push(), "approve")
      #expect(cached.body["status"] == "approved")
      try await bench.advance(seconds: 301)
      let third = try await push()
      let stale = try await device.answer(third, "approve")
      #expect(stale.code == "FAILED_POLICY_REQUIREMENTS")
      try await bench.setRules(["integrityDetection": "permissive"])
      let permitted = try await device.answer(third, "approve")
      #expect(permitted.body["status"] == "approved")
      try await bench.setRules(["integrityDetection": .null])
      let fourth = try await push()
      let denied = try await device.answer(fourth, "deny", posture: Self.posture(["stateProtected": "no"]))
      #expect(denied.body["status"] == "denied")
    }
  }

  @Test("device requirements are evaluated, reported and enforced")
  func requirements() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      func evaluation() async throws -> JSON? {
        let info = try await device.call("GET", "/info")
        return info.body["users"]?.array?.first?["deviceRequirementsEvaluation"]
      }
      let all: JSON = [
        "secureBootRequire": true, "diskEncryptionRequire": true, "kernelLockdownRequire": true,
        "minimumOSVersionRequire": ["linux": "12"],
      ]
      let set = try await bench.patch(["integrity": all])
      #expect(set.body["integrity"] == all)
      let unknown = try await evaluation()
      #expect(unknown == nil)
      _ = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let undescribed = try await device.answer(push, "approve")
      #expect(undescribed.status == 403 && undescribed.code == "FAILED_DEVICE_REQUIREMENTS_EVALUATION")
      var hashes: Set<String> = []
      for (changes, reason) in [
        (["secureBoot": "unknown"], "secure boot"), (["diskEncryption": "disabled"], "disk"),
        (["kernelLockdown": "none"], "kernel"), (["os": ["version": "11.9"]], "12"), (["os": [:]], "12"),
      ] as [(JSONObject, String)] {
        let refused = try await device.answer(push, "approve", posture: Self.posture(changes))
        #expect(refused.code == "FAILED_DEVICE_REQUIREMENTS_EVALUATION")
        let shown = try #require(try await evaluation())
        #expect(shown["status"] == "Failed")
        #expect(shown["reason"]?.string?.contains(reason) == true)
        hashes.insert(try #require(shown["deviceRequirementsDataHash"]?.string))
      }
      #expect(hashes.count == 5)
      let approved = try await device.answer(push, "approve", posture: Self.sound)
      #expect(approved.body["status"] == "approved")
      let passed = try await evaluation()
      #expect(passed?["status"] == "Passed" && passed?["reason"] == nil)
    }
  }
}
