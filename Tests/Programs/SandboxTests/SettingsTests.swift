import JSON
import Testing

@Suite("settings", .timeLimit(.minutes(30)))
struct SettingsTests {
  @Test("settings have their documented defaults")
  func defaults() async throws {
    try await Bench.run { bench in
      let settings = try await bench.settings()
      #expect(settings.object?.names == ["application", "policy", "mfaSettings", "integrity"])
      let failure: JSON = ["count": 3, "coolDown": ["duration": 2, "timeUnit": "MINUTES"]]
      #expect(
        settings["application"] == [
          "name": "mfad", "redirectUris": [], "scopes": [],
          "mobile": [
            "packageName": "mfad", "passcodeRefreshDuration": ["duration": 30, "timeUnit": "SECONDS"],
            "passcodeGracePeriod": 5, "integrityDetection": ["mode": "DISABLED"],
            "push": ["numberMatching": ["type": "ENTER_MANUALLY"]],
          ],
        ]
      )
      #expect(settings["policy"]?["authentication"] == ["deviceSelection": "DEFAULT_TO_FIRST"])
      let mobile = settings["policy"]?["mobile"]
      #expect(settings["policy"]?["name"] == "Sandbox policy")
      #expect(settings["policy"]?["ignoreUserLock"]?.bool == false && mobile?["enabled"]?.bool == true)
      #expect(mobile?["autoEnrollment"] == ["enabled": true])
      #expect(mobile?["promptForNicknameOnPairing"]?.bool == false)
      #expect(mobile?["otp"] == ["enabled": true, "failure": failure])
      #expect(mobile?["push"] == ["enabled": true, "numberMatching": ["enabled": false]])
      #expect(mobile?["pushTimeout"] == ["duration": 40, "timeUnit": "SECONDS"])
      #expect(mobile?["pairingKeyLifetime"] == ["duration": 10, "timeUnit": "MINUTES"])
      let limit: JSON = [
        "count": 5, "timePeriod": ["duration": 10, "timeUnit": "MINUTES"],
        "lockDuration": ["duration": 30, "timeUnit": "MINUTES"],
      ]
      #expect(mobile?["pushLimit"] == limit)
      #expect(mobile?["deviceAuthorization"] == ["enabled": false])
      #expect(mobile?["integrityDetection"] == nil && mobile?["pairingDisabled"]?.bool == false)
      let totp: JSON = [
        "enabled": false, "pairingDisabled": false, "otp": ["failure": failure], "passcodeGracePeriod": 5,
        "uriParameters": [:],
      ]
      #expect(settings["policy"]?["totp"] == totp)
      let pairing: JSON = ["maxAllowedDevices": 5, "pairingKeyFormat": "NUMERIC"]
      #expect(settings["mfaSettings"] == ["pairing": pairing, "users": ["mfaEnabled": false]])
      #expect(
        settings["integrity"] == [
          "secureBootRequire": false, "diskEncryptionRequire": false, "kernelLockdownRequire": false,
        ]
      )
    }
  }

  @Test("a patch is merged, returns all settings, and null restores the default")
  func merging() async throws {
    try await Bench.run(selfService: true) { bench in
      let before = try await bench.settings()
      let type = "application/merge-patch+json"
      let timeout: JSON = ["policy": ["mobile": ["pushTimeout": ["duration": 90]]]]
      let one = try await bench.send("PATCH", Bench.settings, timeout, type: type)
      #expect(one.status == 200)
      #expect(one.body["policy"]?["mobile"]?["pushTimeout"] == ["duration": 90, "timeUnit": "SECONDS"])
      #expect(one.body["application"] == before["application"])
      #expect(one.body["policy"]?["mobile"]?["pushLimit"] == before["policy"]?["mobile"]?["pushLimit"])
      let two = try await bench.patch([
        "policy": ["mobile": ["integrityDetection": "restrictive"], "totp": ["enabled": false]],
        "application": ["mobile": ["uriPrefix": "x"], "scopes": ["p1:read:device"]],
        "integrity": ["minimumOSVersionRequire": ["linux": "12.1"]],
      ])
      #expect(two.body["policy"]?["mobile"]?["pushTimeout"] == ["duration": 90, "timeUnit": "SECONDS"])
      #expect(two.body["integrity"]?["minimumOSVersionRequire"] == ["linux": "12.1"])
      let read = try await bench.settings()
      #expect(read == two.body)
      let member = try await bench.patch(["application": ["mobile": ["uriPrefix": .null]]])
      #expect(member.body["application"]?["mobile"]?["uriPrefix"] == nil)
      #expect(member.body["application"]?["scopes"] == ["p1:read:device"])
      let unit = try await bench.patch(["policy": ["mobile": ["pushTimeout": ["timeUnit": .null]]]])
      #expect(unit.body["policy"]?["mobile"]?["pushTimeout"] == ["duration": 90, "timeUnit": "SECONDS"])
      let part = try await bench.patch(["policy": .null])
      #expect(part.body["policy"] == before["policy"])
      let all = try await bench.patch(.null)
      #expect(all.body == before)
    }
  }

  @Test("an invalid member is named, and nothing changes", arguments: refused)
  func refusals(_ given: (patch: String, target: String, code: String)) async throws {
    try await Bench.run { bench in
      let before = try await bench.settings()
      let answer = try await bench.patch(try JSON(parsing: given.patch))
      #expect(answer.status == 400)
      #expect(answer.body["details"]?.array?.first?["target"]?.string == given.target)
      #expect(answer.detail == given.code)
      let after = try await bench.settings()
      #expect(after == before)
    }
  }

  private static let refused: [(patch: String, target: String, code: String)] =
    [
      (#"{"colour":"red"}"#, "colour", "INVALID_VALUE"), (#"{"colour":{}}"#, "colour", "INVALID_VALUE"),
      (#"{"polcy":null}"#, "polcy", "INVALID_VALUE"),
      (#"{"policy":{"mobile":{"pushes":{}}}}"#, "policy.mobile.pushes", "INVALID_VALUE"),
      (#"{"policy":7}"#, "policy", "INVALID_VALUE"),
      (#"{"policy":{"mobile":{"pushes":true}}}"#, "policy.mobile.pushes", "INVALID_VALUE"),
      (#"{"application":{"id":"x"}}"#, "application.id", "INVALID_VALUE"),
      (#"{"application":{"name":""}}"#, "application.name", "REQUIRED_VALUE"),
      (#"{"application":{"redirectUris":["callback"]}}"#, "application.redirectUris", "INVALID_VALUE"),
      (#"{"application":{"scopes":["p1:read:user"]}}"#, "application.scopes", "INVALID_VALUE"),
      (#"{"application":{"mobile":{"push":7}}}"#, "application.mobile.push", "INVALID_VALUE"),
    ]
    + application.map { mobile, target, code in
      (#"{"application":{"mobile":\#(mobile)}}"#, "application.mobile.\(target)", code)
    }
    + mobile.map { mobile, target, code in
      (#"{"policy":{"mobile":\#(mobile)}}"#, "policy.mobile.\(target)", code)
    } + [
      (
        #"{"policy":{"authentication":{"deviceSelection":"GUESS"}}}"#,
        "policy.authentication.deviceSelection",
        "INVALID_VALUE"
      ),
      (
        #"{"policy":{"totp":{"passcodeGracePeriod":11}}}"#, "policy.totp.passcodeGracePeriod", "INVALID_VALUE"
      ),
      (
        #"{"policy":{"totp":{"uriParameters":{"issuer":1}}}}"#, "policy.totp.uriParameters.issuer",
        "INVALID_VALUE"
      ),
      (
        #"{"mfaSettings":{"pairing":{"maxAllowedDevices":0}}}"#, "mfaSettings.pairing.maxAllowedDevices",
        "INVALID_VALUE"
      ),
      (
        #"{"mfaSettings":{"pairing":{"maxAllowedDevices":16}}}"#, "mfaSettings.pairing.maxAllowedDevices",
        "INVALID_VALUE"
      ),
      (
        #"{"mfaSettings":{"pairing":{"pairingKeyFormat":"EMOJI"}}}"#, "mfaSettings.pairing.pairingKeyFormat",
        "INVALID_VALUE"
      ),
      (
        #"{"mfaSettings":{"lockout":{"durationSeconds":5}}}"#, "mfaSettings.lockout.failureCount",
        "REQUIRED_VALUE"
      ),
      (#"{"integrity":{"secureBootRequire":"yes"}}"#, "integrity.secureBootRequire", "INVALID_VALUE"),
      (
        #"{"integrity":{"minimumOSVersionRequire":{"linux":"bookworm"}}}"#,
        "integrity.minimumOSVersionRequire.linux", "INVALID_VALUE"
      ),
    ]

  private static let application = [
    (#"{"passcodeRefreshDuration":{"duration":29}}"#, "passcodeRefreshDuration", "OUT_OF_RANGE"),
    (#"{"passcodeRefreshDuration":{"duration":61}}"#, "passcodeRefreshDuration", "OUT_OF_RANGE"),
    (
      #"{"passcodeRefreshDuration":{"duration":1,"timeUnit":"MINUTES"}}"#, "passcodeRefreshDuration.timeUnit",
      "INVALID_VALUE"
    ),
    (#"{"passcodeGracePeriod":0}"#, "passcodeGracePeriod", "INVALID_VALUE"),
    (#"{"passcodeGracePeriod":11}"#, "passcodeGracePeriod", "INVALID_VALUE"),
    (#"{"integrityDetection":{"mode":"ENABLED"}}"#, "integrityDetection.cacheDuration", "REQUIRED_VALUE"),
    (
      #"{"integrityDetection":{"mode":"ENABLED","cacheDuration":{"amount":49,"units":"HOURS"}}}"#,
      "integrityDetection.cacheDuration", "OUT_OF_RANGE"
    ),
    (#"{"push":{"numberMatching":{"type":"GUESS"}}}"#, "push.numberMatching.type", "INVALID_VALUE"),
  ]

  private static let mobile = [
    (#"{"pushTimeout":{"duration":39}}"#, "pushTimeout", "OUT_OF_RANGE"),
    (#"{"pushTimeout":{"duration":151}}"#, "pushTimeout", "OUT_OF_RANGE"),
    (#"{"pairingKeyLifetime":{"duration":0}}"#, "pairingKeyLifetime", "OUT_OF_RANGE"),
    (#"{"pairingKeyLifetime":{"duration":49,"timeUnit":"HOURS"}}"#, "pairingKeyLifetime", "OUT_OF_RANGE"),
    (#"{"pushLimit":{"count":0}}"#, "pushLimit.count", "INVALID_VALUE"),
    (#"{"pushLimit":{"count":51}}"#, "pushLimit.count", "INVALID_VALUE"),
    (#"{"pushLimit":{"lockDuration":{"duration":121}}}"#, "pushLimit.lockDuration", "OUT_OF_RANGE"),
    (#"{"pushLimit":{"timePeriod":{"duration":121}}}"#, "pushLimit.timePeriod", "OUT_OF_RANGE"),
    (
      #"{"deviceAuthorization":{"extraVerification":"strict"}}"#, "deviceAuthorization.extraVerification",
      "INVALID_VALUE"
    ),
    (#"{"integrityDetection":"sometimes"}"#, "integrityDetection", "INVALID_VALUE"),
    (#"{"otp":{"failure":{"count":0}}}"#, "otp.failure.count", "INVALID_VALUE"),
    (#"{"otp":{"failure":{"count":8}}}"#, "otp.failure.count", "INVALID_VALUE"),
    (
      #"{"otp":{"failure":{"coolDown":{"duration":1,"timeUnit":"SECONDS"}}}}"#, "otp.failure.coolDown",
      "OUT_OF_RANGE"
    ),
    (#"{"otp":{"failure":{"coolDown":{"duration":31}}}}"#, "otp.failure.coolDown", "OUT_OF_RANGE"),
  ]

  @Test(
    "limits of ranges are accepted",
    arguments: [
      #"{"application":{"mobile":{"passcodeRefreshDuration":{"duration":60}}}}"#,
      #"{"application":{"mobile":{"passcodeGracePeriod":10}}}"#,
      #"{"application":{"mobile":{"integrityDetection":{"mode":"ENABLED","cacheDuration":{"amount":1,"units":"MINUTES"}}}}}"#,
      #"{"policy":{"mobile":{"pushTimeout":{"duration":150}}}}"#,
      #"{"policy":{"mobile":{"pairingKeyLifetime":{"duration":48,"timeUnit":"HOURS"}}}}"#,
      #"{"policy":{"mobile":{"pushLimit":{"count":50,"lockDuration":{"duration":120,"timeUnit":"MINUTES"}}}}}"#,
      #"{"policy":{"mobile":{"deviceAuthorization":{"enabled":true,"extraVerification":"restrictive"}}}}"#,
      #"{"policy":{"mobile":{"otp":{"failure":{"count":7,"coolDown":{"duration":30,"timeUnit":"MINUTES"}}}}}}"#,
      #"{"mfaSettings":{"pairing":{"maxAllowedDevices":15}}}"#,
      #"{"mfaSettings":{"lockout":{"failureCount":3}}}"#,
    ]
  )
  func ranges(_ patch: String) async throws {
    try await Bench.run { bench in
      let before = try await bench.settings()
      let answer = try await bench.patch(try JSON(parsing: patch))
      #expect(answer.status == 200)
      let after = try await bench.settings()
      #expect(after == answer.body && after != before)
    }
  }

  @Test("an error names the allowed range, and a patch must be an object")
  func messages() async throws {
    try await Bench.run { bench in
      let answer = try await bench.patch(["application": ["mobile": ["passcodeGracePeriod": 11]]])
      let detail = answer.body["details"]?.array?.first
      #expect(detail?["innerError"] == ["rangeMinimumValue": 1, "rangeMaximumValue": 10])
      for body in [[], 7, "x"] as [JSON] {
        let refused = try await bench.patch(body)
        #expect(refused.status == 400 && refused.code == "INVALID_REQUEST")
      }
      let type = try await bench.send("PATCH", Bench.settings, [:], type: "text/plain")
      #expect(type.status == 415)
    }
  }
}
