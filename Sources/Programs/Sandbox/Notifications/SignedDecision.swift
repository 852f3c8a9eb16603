import JOSE
import JSON
import OpenSSL
import Text

/// A user's decision, signed by the device's answer key: a compact JWS (`typ: decision+jwt`, ES256).
struct SignedDecision {
  enum Verdict: String, Sendable { case approve, deny }

  let verdict: Verdict
  let claims: JSONObject

  init(_ body: Members, by device: TrustedDevice) throws(ErrorResponse) {
    let text = try body.requiredText("decision", maximum: 8 * 1024)
    guard let token = try? CompactJWS(parsing: text), token.header.type == "decision+jwt" else {
      throw .invalid("decision", "must be a signed decision")
    }
    let byAnswerKey = device.claims(in: token)
    guard let claims = byAnswerKey ?? device.claimsByDeviceKey(in: token) else {
      throw .invalid("decision", "is not signed by a key of the device")
    }
    guard let verdict = claims["decision"]?.string.flatMap(Verdict.init) else {
      throw .invalid("decision", "must be approve or deny")
    }
    guard byAnswerKey != nil || verdict == .deny else {
      throw .invalid("decision", "is not signed by the device's answer key")
    }
    if let name = claims["device"], name.string != device.id.text {
      throw .invalid("decision", "was made on another device")
    }
    if let instant = claims["iat"], !(0...Int.max).contains(instant.int ?? -1) {
      throw .invalid("decision", "must contain its time in seconds")
    }
    self.verdict = verdict
    self.claims = claims
  }

  /// Reason of a denial, which the sign-on reports.
  var reason: String? {
    guard verdict == .deny else { return nil }
    return switch claims["reason"]?.string {
    case "REPORT_FRAUD": "The user reported the request as fraud."
    case "BIOMETRICS_REJECTED": "The device rejected the user's biometrics."
    default: nil
    }
  }

  /// Throws if the decision contains a digest of the displayed text that differs from the digest of the sent
  /// text.
  func requireText(_ shown: PushText) throws(ErrorResponse) {
    guard let text = claims["shown"] else { return }
    guard text.string == shown.digest else { throw .invalid("decision", "was made for another text") }
  }

  func requireSubject(_ name: String, _ id: String) throws(ErrorResponse) {
    guard claims[name]?.string == id else { throw .invalid("decision", "is about another \(name)") }
  }
}

/// The text that a device shows for a push: title, body and the numbers to choose from, each on one line.
struct PushText {
  var title: String?
  var body: String?
  var numbers: [Int] = []

  var digest: String? {
    let title = title.map { DisplayText.clean($0) } ?? ""
    let body = body.map { DisplayText.clean($0, maximum: DisplayText.bodyLength) } ?? ""
    let text = "\(title)\n\(body)\n" + numbers.map(String.init).joined(separator: ",")
    return (try? OpenSSL.digest(Array(text.utf8), .sha256)).map { Base64URL.encode($0) }
  }
}

extension Tenant {
  func shownText(of notification: Notification) -> PushText {
    let authentication = notification.authentication.flatMap { authentications[$0] }
    return PushText(
      title: authentication?.title,
      body: authentication?.body,
      numbers: notification.number?.options ?? []
    )
  }
}
