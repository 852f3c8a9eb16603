import Accounts
import Fixtures
import JSON
import OpenSSL
import Testing

@testable import SelfService

@Suite("PingOne's response to a new device")
struct NewDeviceTests {
  @Test("the published response is parsed")
  func published() throws {
    let fixture = try Fixtures.json("pingone-factors/totp-create.json")
    let response = try #require(fixture["response"]?.object)
    var members = response
    // The sample has placeholders instead of ids.
    members["id"] = "d-1"
    let device = try NewDevice(.object(members))
    #expect(device.secret.secret.count == fixture["expect"]?["secret_bytes"]?.int)
    #expect(device.secret.digits == fixture["expect"]?["digits"]?.int)
    #expect(device.secret.moving == .time(period: fixture["expect"]?["period"]?.int ?? 0))
    #expect(device.secret.algorithm == .sha1)
  }

  private static let secret = "2ZHHQO4EP3TF3C7OIU6G2WI2XLQDU6UR"

  private static func response(_ parameters: String, secret: String = secret, type: String = "totp") -> JSON {
    [
      "id": "d-1", "status": "ACTIVATION_REQUIRED", "secret": .string(secret),
      "keyUri": .string("otpauth://\(type)/ann?secret=\(secret)\(parameters)"),
    ]
  }

  @Test("digits, period and algorithm are taken from the key URI", arguments: [(6, 30), (8, 15), (8, 60)])
  func parameters(digits: Int, period: Int) throws {
    let device = try NewDevice(
      Self.response("&digits=\(digits)&period=\(period)&algorithm=SHA512&issuer=Acme")
    )
    #expect(device.secret.digits == digits && device.secret.moving == .time(period: period))
    #expect(device.secret.algorithm == .sha512 && device.issuer == "Acme")
  }

  @Test("without a key URI the defaults are six digits and 30 seconds")
  func plain() throws {
    let device = try NewDevice([
      "id": "d-1", "status": "ACTIVATION_REQUIRED", "secret": .string(Self.secret),
    ])
    #expect(device.secret.digits == 6 && device.secret.moving == .time(period: 30) && device.issuer == nil)
  }

  @Test(
    "a device with unsupported passcodes is reported with its id, so that it can be removed",
    arguments: [
      response("&digits=7"), response("&digits=9"), response("&period=14"), response("&period=61"),
      response("&algorithm=MD5"), response("&algorithm=SHA384"), response("&digits=six"),
      response("", type: "hotp"), response("&secret=\(secret)"), response("", secret: "AAAA"),
      response("", secret: ""), response("", secret: "not base32!"),
      response(String(repeating: "&image=x", count: 10_000)),
      ["id": "d-1", "type": "SMS", "status": "ACTIVATION_REQUIRED", "secret": .string(secret)],
      ["id": "d-1", "status": "ACTIVE"], ["id": "d-1", "status": "ACTIVE", "secret": .string(secret)],
      ["id": "d-1", "secret": .string(secret)], ["id": "d-1", "status": "ACTIVATION_REQUIRED", "secret": 7],
      [
        "id": "d-1", "status": "ACTIVATION_REQUIRED", "secret": .string(secret),
        "keyUri": "otpauth://totp/ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
      ],
    ]
  )
  func unusable(response: JSON) {
    #expect(performing: { try NewDevice(response) }, throws: { ($0 as? UnusableDevice)?.id == "d-1" })
  }

  @Test(
    "a response without an id that is a valid path component is rejected",
    arguments: [[:], ["id": ""], ["id": "../users"], ["id": "a/b"], ["id": 7], ["id": "d 1"], ["id": "d?x"]]
      as [JSON]
  )
  func nameless(response: JSON) {
    #expect(performing: { try NewDevice(response) }, throws: { !($0 is UnusableDevice) })
  }
}
