internal import Accounts
internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import OATH
internal import OATHExports
internal import OpenSSL
internal import Text

/// A passcode device as PingOne has made it: it counts once a passcode of it was proven.
struct NewDevice {
  let id: String
  let secret: OATHSecret

  private static let digits = [6, 8]
  private static let periods = 15...60

  /// Reads the response to its order; a device that was read this far and cannot be used is in the error.
  init(_ document: JSON) throws {
    guard let id = document["id"]?.string, id.isIdentifier else {
      throw RPCError.serverError.because(.malformed)
    }
    do {
      guard document["status"] == "ACTIVATION_REQUIRED", let text = document["secret"]?.string,
        let secret = Secret(lenientBase32: text)
      else { throw RPCError.serverError.because(.malformed) }
      let record = try Self.record(of: document["keyUri"]?.string, secret: text)
      let credential = try OATHCredential(record)
      guard case .totp(let period) = credential.kind, Self.periods.contains(period),
        Self.digits.contains(credential.digits), Self.areSame(credential.secret, secret)
      else { throw RPCError.serverError.because(.malformed) }
      (self.id, self.secret) = (id, OATHSecret(credential))
    } catch { throw UnusableDevice(id: id) }
  }

  private static func areSame(_ one: Secret, _ other: Secret) -> Bool {
    one.withBytes { one in other.withBytes { one.elementsEqual($0) } }
  }

  /// What the key URI says, into which a tenant may write parameters; without one, those of every authenticator.
  private static func record(of uri: String?, secret: String) throws -> OATHRecord {
    guard let uri else { return try OATHRecord(type: .totp, secret: secret, issuer: "PingOne", label: nil) }
    return try OATHRecord(uri: uri)
  }
}

/// A device was made whose passcodes cannot be computed; it has to be removed again.
struct UnusableDevice: Error {
  let id: String
}
