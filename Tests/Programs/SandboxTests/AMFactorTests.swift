import EventLoop
import JSON
import Testing
import Time

@testable import Sandbox

@Suite("AM's devices and passcodes", .timeLimit(.minutes(30)))
struct AMFactorTests {
  @Test("a user lists, renames and removes registered devices")
  func management() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await AMDevice(bench, choice: 3)
      #expect(device.address.hasPrefix("mfauth://totp/Sandbox:ann?"))
      #expect(device.parameters["image"] == "" && device.parameters["secret"]?.hasSuffix("======") == true)
      _ = try await device.send("register", try device.registration())
      try await device.client.next()
      let base = "\(JourneyClient.base)/users/ann/devices/2fa"
      let identifiers = [("push", "pid"), ("oath", "oid")]
      for (kind, parameter) in identifiers {
        let list = try await device.client.send("GET", "\(base)/\(kind)?_queryFilter=true")
        let (found, id) = (list.body["result"]?.array ?? [], try device.text(parameter))
        #expect(found.map { $0["_id"]?.string } == [id] && found[0]["uuid"] == found[0]["_id"])
        #expect(found[0]["deviceName"]?.string == (kind == "push" ? "Push Device" : "OATH Device"))
        let one = "\(base)/\(kind)/\(id)"
        let blind = try await device.client.send("PUT", one, ["deviceName": "desk"])
        #expect(blind.status == 412)
        let renamed = try await device.client.send("PUT", one, ["deviceName": "desk"], match: "*")
        #expect(renamed.status == 200 && renamed.body["deviceName"] == "desk")
        let deleted = try await device.client.send("DELETE", one)
        #expect(deleted.status == 200)
        let gone = try await device.client.send("DELETE", one)
        #expect(gone.status == 404)
      }
      let stranger = try await device.client.send(
        "GET",
        "\(JourneyClient.base)/users/bob/devices/2fa/push?_queryFilter=true"
      )
      #expect(stranger.status == 403)
      let session = try await device.client.send(
        "POST",
        "\(JourneyClient.base)/sessions?_action=getSessionInfo",
        [:]
      )
      #expect(session.body["username"] == "ann" && session.body["realm"] == "/alpha")
      device.client.session = nil
      for path in ["\(base)/push?_queryFilter=true", "\(base)/oath?_queryFilter=true"] {
        let refused = try await device.client.send("GET", path)
        #expect(refused.status == 401)
      }
    }
  }

  @Test("policies and non-default parameters are in the combined URI")
  func policies() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await AMDevice(bench, choice: 4)
      #expect(device.address.hasPrefix("mfauth://totp/Acme%20R&D:ann?"))
      #expect(try device.text("policies") == #"{"deviceTampering": {"score": 0.8}}"#)
      #expect(device.parameters["algorithm"] == "SHA256" && device.parameters["digits"] == "8")
      // Pushes and passcodes share the parameter; its value is the unencoded one for passcodes.
      #expect(device.parameters["image"] == "https://example.com/logo.png?s=1")
      #expect(try device.text("issuer") == "Acme R&D")
    }
  }

  @Test("TOTP and HOTP devices sign on and register without the network", arguments: [1, 2])
  func passcodes(_ choice: Int) async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await AMDevice(bench, choice: choice)
      let secret = try #require(device.parameters["secret"])
      #expect(secret.count == 32 && secret.hasSuffix("======"))
      let names = ["secret", choice == 1 ? "period" : "counter", "digits", "b", "image", "uid", "oid"]
      #expect(Set(device.parameters.keys) == Set(names))
      let authenticator = try #require(Authenticator(base32: String(secret.prefix(26))))
      let done = try await device.client.next()
      #expect(done.body["tokenId"] != nil)
      try await device.client.signOn("am-oath")
      try await device.client.next(["IDToken1": "none"])
      // Both counters may be ahead of AM.
      let number = choice == 1 ? authenticator.currentWindow + 1 : 100
      let passcode: JSON = .string(try authenticator.passcode(ofWindow: number))
      let right = try await device.client.next(["IDToken1": passcode])
      #expect(right.body["tokenId"] != nil)
      try await device.client.signOn("am-oath")
      for _ in 0..<2 {
        let again = try await device.client.next(["IDToken1": passcode])
        #expect(again.body["authId"] != nil)
      }
      let failed = try await device.client.next(["IDToken1": passcode])
      #expect(failed.status == 401)
    }
  }

  // Values of AM 8.0.2's own tests, with the secret abcd. The HOTP codes use dynamic truncation.
  @Test("passcodes are verified like AM does")
  func verifier() throws {
    let now = Timestamp(seconds: 1_289_375_995)
    for (algorithm, passcode, isGood) in [
      (OATHFactor.Algorithm.sha1, "325835", true), (.sha1, "607352", true), (.sha1, "000000", false),
      (.sha512, "154266", true),
    ] {
      var factor = OATHFactor(secret: [0xAB, 0xCD], algorithm: algorithm)
      #expect(try factor.accept(passcode, at: now) == isGood)
      // Another passcode in the same step is rejected, also if the drift has moved the step.
      #expect(try !factor.accept(passcode, at: now))
    }
    var ahead = OATHFactor(secret: [0xAB, 0xCD])
    #expect(try ahead.accept("607352", at: now) && ahead.drift == 30)
    #expect(try !ahead.accept("325835", at: now.adding(seconds: 30)))
    var counting = OATHFactor(kind: .hotp, secret: [0xAB, 0xCD])
    #expect(try counting.accept("389971", at: now) && counting.counter == 3)
    #expect(try !counting.accept("853971", at: now))
    #expect(try counting.accept("138115", at: now) && counting.counter == 4)
  }
}
