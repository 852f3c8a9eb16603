import CurlClient
import EventLoop
import FoundationEssentials
import JOSE
import JSON
import OpenSSL
import Time
import WebAddress

/// A message to a device, in the form that AM passes to a delivery delegate.
struct PushMessage: Stored {
  /// Identifier of the message, which the response repeats.
  let id: ID<PushMessage>
  let token: String
  let mechanism: String
  let deviceID: String
  let kind: String

  static let maximumCount = 200

  var json: JSON {
    .of([
      "messageId": id, "message": token, "mechanismUid": mechanism, "deviceId": deviceID, "pushType": kind,
    ])
  }
}

/// How a message requests the user's consent.
enum PushKind: String, CaseIterable {
  case plain = "default"
  case challenge
  case biometric
}

extension Tenant {
  /// Range of the numbers that a challenge offers; the page shows one of the offered numbers.
  private static let numbers = 10...99

  /// Sends the user's first push device a message that requires a response.
  func sendMessage(_ kind: PushKind, _ text: String?, to user: PlatformUser, in realm: String)
    throws(ErrorResponse)
    -> SentMessage
  {
    guard let factor = factors(of: user.id, .push, in: realm).first, let push = factor.push else {
      throw .am(401, "Login failure", "The user has no device for pushes.")
    }
    let numbers = kind == .challenge ? Array(Self.numbers.shuffled().prefix(3)).sorted() : []
    let record = try expectMessage(.authenticate, push.secret, in: realm, number: numbers.randomElement())
    let template = text ?? "Login attempt from {{user}} at {{issuer}}"
    // All values of the message are strings.
    let claims = JSONObject(of: [
      "u": push.mechanism, "c": standardBase64(record.challenge),
      "l": standardBase64(Array(Enrolment.loadBalancerCookie.utf8)),
      "t": String(self.amSettings.messageSeconds), "i": String(clock.passcodeTime.milliseconds),
      "m": filled(template, for: user), "k": kind.rawValue,
      "n": numbers.isEmpty ? nil : numbers.map { String($0) }.joined(separator: ","), "d": user.username,
      "p": "{  }", "x": self.amSettings.sendsContext ? Self.context : nil,
    ])
    let message = PushMessage(
      id: ID(record.id.text),
      token: try SharedSecretJWT(push.secret).sign(claims),
      mechanism: push.mechanism,
      deviceID: push.deviceID,
      kind: kind.rawValue
    )
    pushMessages.put(message)
    delegate.deliver(message, anywhere: self.amSettings.deliversAnywhere)
    return record
  }

  private static let context =
    #"{"location":{"latitude":46.948,"longitude":7.4474},"remoteIp":"198.51.100.7","userAgent":"Sandbox"}"#

  private func filled(_ template: String, for user: PlatformUser) -> String {
    [("{{user}}", user.username), ("{{issuer}}", Enrolment.defaultIssuer)].reduce(template) { text, value in
      text.split(separator: value.0, omittingEmptySubsequences: false).joined(separator: value.1)
    }
  }
}

/// A sent message and the expected response; AM's push service keeps this record for a limited time.
struct SentMessage: Stored {
  enum Kind: String {
    case register = "REGISTER"
    case authenticate = "AUTHENTICATE"
  }

  enum State: String {
    case pending = "PENDING"
    case accepted = "ACCEPTED"
    case denied = "DENIED"
    case wrongNumber = "WRONG_NUMBER"
    case expired = "EXPIRED"
  }

  let id: ID<SentMessage>
  let kind: Kind
  let realm: String
  let secret: [UInt8]
  let challenge: [UInt8]
  let deadline: EndTime
  /// The number that the page shows; the response must contain it.
  var number: Int?
  var state = State.pending
  /// Claims of the accepted response.
  var content: JSONObject = [:]

  static let maximumCount = 1000
}

extension Tenant {
  /// Registers the response that AM expects from the device with this secret.
  func expectMessage(_ kind: SentMessage.Kind, _ secret: [UInt8], in realm: String, number: Int? = nil)
    throws(ErrorResponse) -> SentMessage
  {
    let name = "\(kind.rawValue):\(UUID().uuidString.lowercased())\(clock.now.milliseconds)"
    let record = SentMessage(
      id: ID(name),
      kind: kind,
      realm: realm,
      secret: secret,
      challenge: try randomSecret(32),
      deadline: clock.deadline(in: self.amSettings.messageSeconds),
      number: number
    )
    pushRecords.put(record)
    return record
  }

  func state(of record: SentMessage) -> SentMessage.State {
    record.state == .pending && clock.isOver(record.deadline) ? .expired : record.state
  }
}

/// A message between AM and a device: a JWS, signed with HS256 and the secret of the device's registration.
struct SharedSecretJWT {
  private let context: HMACContext

  init(_ secret: [UInt8]) {
    context = HMACContext(.sha256, key: Secret(copying: secret))
  }

  func sign(_ claims: JSONObject) throws(ErrorResponse) -> String {
    let header: JSON = ["typ": "JWT", "alg": "HS256"]
    let parts = [header, .object(claims)].map { Base64URL.encode($0.serialized) }.joined(separator: ".")
    return "\(parts).\(Base64URL.encode(try code(Array(parts.utf8))))"
  }

  /// Returns the claims of a text with a valid signature, otherwise `nil`.
  func claims(of text: String) throws(ErrorResponse) -> JSONObject? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), header["alg"] == "HS256" else { return nil }
    let expected = Base64URL.encode(try code(Array("\(parts[0]).\(parts[1])".utf8)))
    return isSameSecret(String(parts[2]), expected) ? Self.object(parts[1]) : nil
  }

  /// Returns the response to a challenge, which proves possession of the secret.
  func response(to challenge: [UInt8]) throws(ErrorResponse) -> String {
    standardBase64(try code(challenge))
  }

  private func code(_ bytes: [UInt8]) throws(ErrorResponse) -> [UInt8] {
    do { return try context.code(for: bytes) } catch { throw .unexpected }
  }

  private static func object(_ part: Substring) -> JSONObject? {
    Base64URL.decode(part).flatMap { try? JSON(parsing: $0) }?.object
  }
}

/// A delivery delegate for AM's push service, as an administrator of AM can write one.
///
/// The delegate posts messages to the URL that a device gave.
@EventLoop
final class PushDelegate {
  private let client = CurlClient(CurlSettings(allowsLoopbackHTTP: true, userAgent: "pingone-sandbox"))

  /// Posts a message once, without a retry; without `isAnywhere`, only to an address of this machine.
  func deliver(_ message: PushMessage, anywhere isAnywhere: Bool) {
    guard let address = WebURL(message.deviceID), address.origin.isLoopback || isAnywhere else { return }
    let body = JSON.of(["messageId": message.id, "message": message.token]).serialized
    let request = CurlRequest(
      "POST",
      address,
      headers: [("Content-Type", "application/json")],
      body: body,
      timeout: .seconds(10)
    )
    _ = try? client.start(request) { _ in }
  }
}
