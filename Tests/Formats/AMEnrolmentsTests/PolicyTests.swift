import AMEnrolments
import Fixtures
import JSON
import Testing

@Suite("Policies of PingAM")
struct PolicyTests {
  @Test("policies are evaluated like in Ping's and ForgeRock's clients")
  func evaluation() throws {
    let cases = try #require(try Fixtures.json("am/policies.json")["cases"]?.array)
    #expect(cases.count == 7)
    for one in cases {
      let facts = AMHostFacts(
        hasBiometrics: one["facts"]?["biometric"]?.bool ?? true,
        tampering: one["facts"]?["tamper"]?.double ?? 0
      )
      let unmet = AMPolicies(try #require(one["policies"]?.string)).firstUnmet(by: facts)
      // Without a threshold from the server, the default of the newer clients applies.
      let isOlder = one["name"] == "tamper_default_legacy"
      #expect(unmet?.rawValue == (isOlder ? "deviceTampering" : one["failing"]?.string), "\(one)")
    }
  }

  @Test("unknown and malformed policies require nothing")
  func unknown() {
    let none = AMHostFacts(hasBiometrics: false, tampering: 1)
    for text in ["{\"batteryCharged\": {}}", "[]", "{", "", "null", "{\"a\":1,\"a\":1}"] {
      #expect(AMPolicies(text).firstUnmet(by: none) == nil, "\(text)")
    }
    #expect(
      AMPolicies("{\"deviceTampering\": {\"score\": \"0.1\"}}").firstUnmet(by: none) == .deviceTampering
    )
    let deep =
      String(repeating: "{\"biometricAvailable\":", count: 20) + "{}" + String(repeating: "}", count: 20)
    #expect(AMPolicies(deep).firstUnmet(by: none) == nil)
  }
}
